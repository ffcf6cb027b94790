/**
 * The raw path inside its worker: transport stream in, pictures on the screen and sound for the media source out. The
 * sound's position is the clock. Independent of the worker API, whose functions are passed in.
 */
import { SILENT_FRAME, SILENT_TICKS } from '../../lib/arib/aac/adts.ts';
import { SECOND_MS, TICKS_PER_SECOND } from '../../lib/arib/time.ts';
import type { ReceptionFault } from '../../lib/arib/ts/clock.ts';
import type { WallMs } from '../../lib/wire/times.ts';
import { AudioTrack } from './audio-track.ts';
import type { Mpeg2Decoder } from './mpeg2-decoder.ts';
import { type HeldPicture, PicturePlayer } from './picture-player.ts';
import type { RawProblem, RawReport } from './raw-messages.ts';
import { type DemuxEvent, StationDemux } from './station-demux.ts';

interface RawSecond {
  /** The sound plays, so pictures are due. */
  readonly isRunning: boolean;
  /** 95th percentile of decoding, as a part of a frame's duration. */
  readonly load: number;
  /** s between the sound and the picture beside it. */
  readonly behind: number;
  /** Sound came since the last call. */
  readonly hasAudio: boolean;
  /** Sound that cannot be played, in a row. */
  readonly audioFailures: number;
}

/** A frame's decoding must leave room for what else the device does. */
const MAX_LOAD = 0.8;
const MAX_BEHIND_S = 0.25;
const SLOW_SECONDS = 5;
const SILENT_SECONDS = 5;
const MAX_AUDIO_FAILURES = 20;

/** When the raw path falls back to the encoded one. Pure; evaluated once a second. */
export class RawRules {
  #slow = 0;
  #silent = 0;

  /** Undefined: all is well. */
  judge(second: RawSecond): RawProblem | undefined {
    const isSlow = second.isRunning && (second.load > MAX_LOAD || second.behind > MAX_BEHIND_S);
    this.#slow = isSlow ? this.#slow + 1 : 0;
    this.#silent = second.hasAudio ? 0 : this.#silent + 1;
    if (second.audioFailures >= MAX_AUDIO_FAILURES || this.#silent >= SILENT_SECONDS) return 'no_audio';
    return this.#slow >= SLOW_SECONDS ? 'slow' : undefined;
  }
}

interface RawNeeds {
  readonly decoder: Mpeg2Decoder;
  readonly audioIndex: number;
  readonly isHalf?: boolean | undefined;
  readonly show: (picture: HeldPicture) => void;
  readonly report: (report: RawReport) => void;
  /** The first picture came, was decoded. */
  readonly onStep?: (step: 'intra' | 'decoded') => void;
  readonly now: () => WallMs;
}

interface SoundClock {
  readonly position: number;
  readonly at: WallMs;
  readonly rate: number;
}

/** A jump of the broadcast's clock; less is a gap in the reception. */
const JUMP = 10 * TICKS_PER_SECOND;
/** Maximum wait of the sound for the first picture, s of the broadcast. */
const PICTURE_WAIT = 3 * TICKS_PER_SECOND;
/** Sound comes at least three times a second. */
const SILENT_AFTER = TICKS_PER_SECOND / 2;
/** Silence ends this long ago: sound that comes back is not in the past. */
const SILENCE_SLACK = 0.15 * TICKS_PER_SECOND;
/** Of one turn, frames. */
const MAX_SILENCE = 150;
const SILENCE = Uint8Array.from(SILENT_FRAME);

export class RawStation {
  readonly #needs: RawNeeds;
  readonly #demux: StationDemux;
  readonly #player: PicturePlayer;
  readonly #rules = new RawRules();
  #track: AudioTrack | undefined;
  #clock: SoundClock | undefined;
  #lastAudio: number | undefined;
  /** Sound that waits for the first picture. */
  #waiting: Extract<DemuxEvent, { kind: 'audio' }>[] = [];
  /** Came since the last judgement. */
  #hasAudio = false;
  #hasPicture = false;
  #audioFailures = 0;
  #concealed = 0;
  #judgedAt: WallMs;
  #fault: ReceptionFault | undefined;
  /** Silence was added, and no sound came since. */
  #isSilent = false;
  #isOver = false;

  constructor(needs: RawNeeds) {
    this.#needs = needs;
    this.#demux = new StationDemux(needs.audioIndex);
    const { decoder, isHalf, now } = needs;
    const show = (picture: HeldPicture): void => {
      needs.onStep?.('decoded');
      needs.show(picture);
    };
    this.#player = new PicturePlayer({ decoder, isHalf, show, now });
    this.#judgedAt = needs.now();
  }

  packets(bytes: Uint8Array): void {
    if (this.#isOver) return;
    for (const event of this.#demux.push(bytes)) this.#take(event);
    this.#fillSilence();
    this.#tellFault();
    this.step();
  }

  clock(position: number, at: WallMs, rate: number): void {
    this.#clock = { position, at, rate };
  }

  /** Called at least as often as pictures change. */
  step(): void {
    if (this.#isOver) return;
    this.#player.step(this.#time());
    const now = this.#needs.now();
    if (now - this.#judgedAt >= SECOND_MS) this.#judge(now);
  }

  #take(event: DemuxEvent): void {
    switch (event.kind) {
      case 'unit':
        this.#hasPicture = true;
        if (event.unit.isIntra) this.#needs.onStep?.('intra');
        this.#player.push(event.unit);
        return;
      case 'audio':
        this.#sound(event);
        return;
      case 'audioLoss':
        this.#track?.loss();
        return;
      case 'layout':
        if (!event.hasVideo) this.#giveUp('unsupported');
        else if (event.audios === 0) this.#giveUp('no_audio');
    }
  }

  #sound(event: Extract<DemuxEvent, { kind: 'audio' }>): void {
    const { time } = event;
    this.#hasAudio = true;
    if (time !== undefined) {
      const last = this.#lastAudio ?? time;
      this.#lastAudio = time;
      if (Math.abs(time - last) > JUMP) {
        this.#isOver = true;
        this.#needs.report({ kind: 'jump' });
        return;
      }
    }
    if (this.#track === undefined) {
      this.#waiting.push(event);
      const first = this.#waiting.find((one) => one.time !== undefined)?.time;
      if (first === undefined) return;
      if (this.#player.shown === 0 && (time ?? first) - first < PICTURE_WAIT) return;
      this.#track = new AudioTrack(first);
      for (const one of this.#waiting.splice(0)) this.#write(one);
      return;
    }
    // Without a hole: the element would stand before it.
    if (this.#isSilent && time !== undefined) this.#silenceUntil(time);
    this.#isSilent = false;
    this.#write(event);
  }

  /** The sound's position is the clock of the pictures: where no sound comes they continue in silence. */
  #fillSilence(): void {
    const missing = this.#demux.watch.missing('audio');
    const last = this.#lastAudio;
    if (missing < SILENT_AFTER || last === undefined || this.#track === undefined) return;
    this.#track.loss();
    this.#silenceUntil(last + missing - SILENCE_SLACK);
  }

  #silenceUntil(until: number): void {
    for (let frames = 0; frames < MAX_SILENCE; frames += 1) {
      const end = this.#track?.end;
      if (end === undefined || end + SILENT_TICKS > until) return;
      this.#isSilent = true;
      this.#write({ kind: 'audio', bytes: SILENCE, time: end });
    }
  }

  #tellFault(): void {
    const { fault } = this.#demux.watch;
    if (fault === this.#fault) return;
    this.#fault = fault;
    this.#needs.report({ kind: 'fault', fault });
  }

  #write(event: Extract<DemuxEvent, { kind: 'audio' }>): void {
    const track = this.#track;
    if (track === undefined) return;
    for (const part of track.push(event.bytes, event.time)) {
      if (part.kind === 'unsupported') this.#audioFailures += 1;
      else {
        this.#audioFailures = 0;
        const { origin } = track;
        this.#needs.report(part.kind === 'init' ? { ...part, origin } : part);
      }
    }
  }

  /** Current time of the sound, 90 kHz. */
  #time(): number | undefined {
    const clock = this.#clock;
    if (clock === undefined || this.#track === undefined) return undefined;
    const position = clock.position + ((this.#needs.now() - clock.at) / 1000) * clock.rate;
    return this.#track.origin + position * TICKS_PER_SECOND;
  }

  #judge(now: WallMs): void {
    this.#judgedAt = now;
    const player = this.#player;
    const isRunning = (this.#clock?.rate ?? 0) > 0;
    this.#concealed += this.#needs.decoder.takeConcealed();
    const { shown, dropped, load, behind } = player;
    this.#needs.report({
      kind: 'figures',
      figures: { shown, dropped, load, behind, concealed: this.#concealed },
    });
    const problem = this.#rules.judge({
      // Where nothing is readable the sound is not what the path lacks.
      ...{ isRunning, load, behind, hasAudio: this.#hasAudio || !this.#hasPicture },
      audioFailures: this.#audioFailures,
    });
    this.#hasAudio = false;
    this.#hasPicture = false;
    if (problem !== undefined) this.#giveUp(problem);
  }

  #giveUp(problem: RawProblem): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#needs.report({ kind: 'problem', problem });
  }
}
