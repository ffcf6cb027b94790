/** The guide: stations and programmes, kept true by the agent's lists and by visits. Puts this room together. */
import type { Log } from '../../host/log.ts';
import type { Hub } from '../hub/hub.ts';
import type { ProgramStore } from '../store/programs.ts';
import type { StationStore } from '../store/stations.ts';
import { AgentClient } from '../tuner/agent-client.ts';
import { AgentLink, type AgentState } from '../tuner/agent-link.ts';
import { AgentSync } from './agent-sync.ts';
import { Collector } from './collector.ts';
import { Scans } from './scan.ts';
import { Stations } from './stations.ts';
import { Surveys } from './surveys.ts';
import { GuideVisits } from './visits.ts';

export interface GuideOptions {
  /** Without a trailing slash. */
  agentUrl: string;
  /** How often stations are imported, ms. */
  syncIntervalMs: number;
  /** A station that imports lack for so long is forgotten, ms. */
  forgetAfterMs: number;
  stations: StationStore;
  programs: ProgramStore;
  hub: Hub;
  startWorker: () => Worker;
  startSurveyWorker: () => Worker;
  log: Log;
  /** Epoch ms. */
  now: () => number;
}

export class GuideRoom {
  readonly stations: Stations;
  readonly scans: Scans;
  /** The agent's own tables, as the tuner screen reads and writes them. */
  readonly equipment: Pick<AgentClient, 'tuners' | 'putTuners' | 'channels'>;
  readonly #collector: Collector;
  readonly #visits: GuideVisits;
  readonly #surveys: Surveys;
  readonly #sync: AgentSync;
  readonly #link: AgentLink;

  constructor(private readonly options: GuideOptions) {
    const { programs, hub, log, now } = options;
    const agent = new AgentClient(options.agentUrl);
    this.equipment = agent;
    const { forgetAfterMs } = options;
    this.stations = new Stations({ stations: options.stations, programs, hub, log, now, forgetAfterMs });
    this.#visits = new GuideVisits({ startWorker: options.startWorker, log });
    this.#collector = new Collector({
      stations: this.stations,
      programs,
      agent,
      visits: this.#visits,
      hub,
      log,
      now,
    });
    this.#surveys = new Surveys({ startWorker: options.startSurveyWorker, log });
    this.scans = new Scans({
      agent,
      surveys: this.#surveys,
      hub,
      log: log.component('scan'),
      now,
      onStored: () => {
        this.#sync.sync();
        this.#collector.wake();
      },
    });
    this.#sync = new AgentSync({
      channels: (signal) => agent.channels(signal),
      import: (channels) => this.stations.import(channels),
      onChanged: () => this.#collector.wake(),
      onAnswer: () => this.#link.hurry(),
      intervalMs: options.syncIntervalMs,
      log,
    });
    this.#link = new AgentLink({
      url: options.agentUrl,
      log,
      // Anything may have changed while nobody listened.
      onConnected: () => this.#onAgentEvent('channels'),
      onEvent: (event) => this.#onAgentEvent(event),
      // The UI asks again how the agent is when tuners changed.
      onState: () => hub.changed('tuners'),
    });
  }

  get agentState(): AgentState {
    return this.#link.state;
  }

  start(): void {
    this.#link.start();
    this.#sync.sync();
  }

  async close(): Promise<void> {
    this.#collector.close();
    await Promise.allSettled([this.#link.close(), this.#sync.close(), this.scans.close()]);
    this.#visits.close();
    this.#surveys.close();
  }

  #onAgentEvent(event: 'tuners' | 'channels'): void {
    this.options.hub.changed(event);
    if (event === 'channels') this.#sync.sync();
    this.scans.onTuners();
    this.#collector.wake();
  }
}
