/**
 * A station that somebody watches: one stream of the agent with its sessions. It lets go of the tuner at the
 * moment when the last session is over.
 */
import { unlessAborted } from '../../host/deadline.ts';
import type { Log } from '../../host/log.ts';
import { PRIORITY } from '../../wire/agent.ts';
import type { Notice } from '../../wire/api.ts';
import type { EncoderChoice, Encoders } from '../ffmpeg/encoders.ts';
import type { StationRecord } from '../model/station.ts';
import type { ReceptionClient, StationStream } from '../reception/reception-client.ts';
import type { StationLayout } from '../reception/station-layout.ts';
import { type AudioChoice, audioKey } from './audio-choice.ts';
import { type EncodedFormat, EncodedSession } from './encoded-session.ts';
import { RawSession } from './raw-session.ts';
import type { Joined, Session } from './session.ts';

/** Viewers cut by a change of layout ask again at once: the tuner is kept for them. */
const RETURN_MS = 3_000;

export interface TunedStationOptions {
  agentUrl: string;
  station: StationRecord;
  client: ReceptionClient;
  encoders: Encoders;
  log: Log;
  /** It takes no more viewers. Called once. */
  onOver: () => void;
  /** It is not received any more, while somebody watched. @param tunerId where it was */
  onLost: (tunerId: string) => void;
}

export interface EncodedWish {
  format: EncodedFormat;
  choice: EncoderChoice | undefined;
  ffmpeg: string;
  notices: readonly Notice[];
  audio: (layout: StationLayout) => AudioChoice | undefined;
}

export class TunedStation {
  readonly #sessions = new Map<string, Session>();
  readonly #opening: Promise<StationStream>;
  readonly #abort = new AbortController();
  #layout: StationLayout | undefined;
  #tunerId: string | undefined;
  #holds = 0;
  #over = false;
  #released: Promise<void> = Promise.resolve();

  constructor(readonly options: TunedStationOptions) {
    const { client, station, agentUrl, log, onLost } = options;
    const query = new URLSearchParams({
      type: station.type,
      channel: station.channel,
      priority: String(PRIORITY.live),
      use: `live ${station.type}/${station.channel}`,
    });
    const handlers = {
      layout: (layout: StationLayout) => this.#layoutChanged(layout),
      ended: (reason: string) => {
        log.info('station stream ended', { station: station.id, reason });
        // Its sinks ended before it: nobody may be left here, but they are still there.
        if (this.#tunerId !== undefined) onLost(this.#tunerId);
        this.stop();
      },
    };
    const url = `${agentUrl}/agent/stream?${query}`;
    this.#opening = client.open(url, station.serviceId, handlers, this.#abort.signal);
    this.#opening.then(
      ({ tunerId }) => {
        this.#tunerId = tunerId ?? undefined;
      },
      () => this.stop(),
    );
  }

  /** Resolves when the tuner was given back. */
  get released(): Promise<void> {
    return this.#released;
  }

  /** @throws Failure, the abort's reason. */
  async watch(wish: EncodedWish | 'raw', signal: AbortSignal): Promise<Joined & { tunerId: string | null }> {
    this.#holds += 1;
    try {
      const stream = await unlessAborted(this.#opening, signal);
      const joined = await this.#session(stream, wish).join(signal);
      const notices = wish === 'raw' ? joined.notices : [...new Set([...wish.notices, ...joined.notices])];
      return { ...joined, notices, tunerId: stream.tunerId };
    } finally {
      this.#holds -= 1;
      this.#check();
    }
  }

  /** Cuts everybody and gives the tuner back. */
  stop(): void {
    if (this.#over) return;
    this.#over = true;
    for (const session of [...this.#sessions.values()]) session.stop();
    this.#sessions.clear();
    this.#abort.abort(new Error('nobody watches'));
    this.#released = this.#opening.then(
      (stream) => stream.close(),
      () => {},
    );
    this.options.onOver();
  }

  #session(stream: StationStream, wish: EncodedWish | 'raw'): Session {
    const layout = this.#layout ?? stream.layout;
    const key = wish === 'raw' ? 'raw' : `${sharingWord(wish)} ${audioKey(wish.audio(layout))}`;
    const present = this.#sessions.get(key);
    if (present !== undefined) return present;
    const onOver = (): void => {
      if (this.#sessions.get(key) === session) this.#sessions.delete(key);
      this.#check();
    };
    const session = wish === 'raw' ? new RawSession(stream, onOver) : this.#encoded(stream, wish, onOver);
    this.#sessions.set(key, session);
    if (session instanceof EncodedSession) session.start();
    return session;
  }

  #encoded(stream: StationStream, wish: EncodedWish, onOver: () => void): EncodedSession {
    const { encoders, log } = this.options;
    const layout = (): StationLayout => this.#layout ?? stream.layout;
    const { format, choice, ffmpeg, audio } = wish;
    return new EncodedSession({ stream, layout, encoders, log, onOver, format, choice, ffmpeg, audio });
  }

  /** Encoders under way end by themselves; who asks from now on gets a new one. */
  #layoutChanged(layout: StationLayout): void {
    this.#layout = layout;
    this.#holds += 1;
    const kept = setTimeout(() => {
      this.#holds -= 1;
      this.#check();
    }, RETURN_MS);
    kept.unref();
    for (const [key, session] of this.#sessions) {
      if (session instanceof EncodedSession && session.isLive) this.#sessions.delete(key);
    }
  }

  #check(): void {
    if (this.#holds === 0 && this.#sessions.size === 0) this.stop();
  }
}

/** Viewers share by what they get, not by what they asked for: H.264 in place of AV1 is H.264. */
function sharingWord(wish: EncodedWish): string {
  return `${wish.format} ${wish.choice?.encoder.codec ?? ''}`;
}
