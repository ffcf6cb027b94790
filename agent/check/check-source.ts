/**
 * Where `svc-agent check` gets its facts: from the running agent, whose permissions are the relevant ones, or else
 * from this machine.
 */
import type { Static, TSchema } from '@sinclair/typebox';
import { boundedText } from '../../lib/host/bounded-text.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import {
  type AnyTunerDefinition,
  type Card,
  CardSchema,
  type Channel,
  ChannelsSchema,
  type DetectedDevice,
  DetectedDevicesSchema,
  TunersSchema,
} from '../../lib/wire/agent.ts';
import { BrokenFile } from '../config/json-file.ts';
import { parseAs } from '../config/validate.ts';
import type { AgentConfig } from '../config.ts';
import { toTunerDefinitions } from '../detect/detect-equipment.ts';
import { Equipment } from '../equipment.ts';
import { parseFakeTuners } from '../tuner-settings.ts';

export type CardFacts = Pick<Card, 'state' | 'reader' | 'failure'>;

/** A string is the reason why the facts are not available, for display. */
export interface CheckFacts {
  readonly isRunning: boolean;
  readonly devices: readonly DetectedDevice[];
  readonly tuners: readonly (AnyTunerDefinition & { readonly error?: string | null })[] | string;
  readonly channels: readonly Channel[] | string;
  readonly card: CardFacts;
}

/** The agent answers from memory, but a card may have to be connected first. */
const ANSWER_TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** A server listens there, but does not respond like an agent. */
export class AgentUnreadable extends Error {}

/** Undefined if no agent listens there. @throws AgentUnreadable */
export async function factsOfRunningAgent(url: string): Promise<CheckFacts | undefined> {
  const tuners = await ask(url, '/agent/tuners', TunersSchema);
  if (tuners === undefined) return undefined;
  const [devices, channels, card] = await Promise.all([
    ask(url, '/agent/devices', DetectedDevicesSchema),
    ask(url, '/agent/channels', ChannelsSchema),
    ask(url, '/agent/card', CardSchema),
  ]);
  if (devices === undefined || channels === undefined || card === undefined)
    throw new AgentUnreadable('応答の途中で svc-agent が止まりました');
  return { isRunning: true, devices: devices.devices, tuners, channels, card };
}

/** The URL of the agent for a client on this machine. */
export function localUrl({ host, port }: Pick<AgentConfig, 'host' | 'port'>): string {
  const address = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

/** Undefined if nothing listens there. @throws AgentUnreadable */
async function ask<S extends TSchema>(url: string, path: string, schema: S): Promise<Static<S> | undefined> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(`${url}${path}`, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
    text = await boundedText(response, MAX_ANSWER_BYTES);
  } catch (error) {
    if ((error as { name?: unknown }).name === 'TimeoutError')
      throw new AgentUnreadable(`${path} に応答がありません`);
    return undefined;
  }
  if (response.status === 403)
    throw new AgentUnreadable('AGENT_NETWORKS がこのマシンのアドレスを許可していません');
  try {
    return parseAs(schema, JSON.parse(text));
  } catch {
    throw new AgentUnreadable(`${path} の応答 (HTTP ${response.status}) を読めません`);
  }
}

interface MachineParts {
  readonly config: AgentConfig;
  readonly detect: () => readonly DetectedDevice[];
  readonly card: () => Promise<CardFacts>;
}

/** Without a running agent. */
export async function factsOfThisMachine({ config, detect, card }: MachineParts): Promise<CheckFacts> {
  const devices = detect();
  const equipment = await Equipment.load({
    tunersFile: config.tunersFile,
    channelsFile: config.channelsFile,
    detect: async () =>
      config.fakeTune === undefined ? toTunerDefinitions(devices) : parseFakeTuners(config.fakeTuners),
    fakeAllowed: config.fakeTune !== undefined,
    log: SILENT_LOG,
  });
  return {
    isRunning: false,
    devices,
    tuners: orReason(() => equipment.tuners.map((tuner) => ({ ...tuner, types: [...tuner.types] }))),
    channels: orReason(() => equipment.channels),
    card: await card(),
  };
}

function orReason<T>(read: () => T): T | string {
  try {
    return read();
  } catch (error) {
    if (error instanceof BrokenFile) return error.message;
    throw error;
  }
}
