/**
 * One station of several: original quality at half the resolution, without controls of its own. A limit of this device
 * or of the tuners ends it with the reason.
 */
import type { StationId } from '../../lib/arib/ids.ts';
import type { ApiFailure } from '../query/api.ts';
import { canPlayRaw, RawFeed } from '../raw/raw-feed.ts';
import type { RawSource } from '../raw/raw-session.ts';
import { StationPlayer } from './station-player.ts';

/** Whether this browser can show several stations. */
export const canPlayMulti = canPlayRaw;

export class MultiTile extends StationPlayer {
  #isHeard = false;

  constructor(video: HTMLVideoElement, stationId: StationId) {
    super(video);
    this.tune(stationId);
  }

  /** One of the stations is heard. */
  set isHeard(isHeard: boolean) {
    this.#isHeard = isHeard;
    const { kind } = this.state.peek();
    if (isHeard && (kind === 'playing' || kind === 'stalled')) void this.sound.play();
    else this.video.muted = true;
  }

  /** A tile has no room for them. */
  protected override onNotice(): void {}

  protected override codec() {
    return 'raw' as const;
  }

  protected override rawFeed(source: RawSource): RawFeed {
    return new RawFeed(this.worker, this.video, this.side, { source, audioIndex: 0, isHalf: true });
  }

  /** The service does not encode for tiles: there is nothing to fall back to. */
  protected override onFailure(failure: ApiFailure): boolean {
    const isRefused = failure.code === 'raw_fallback';
    if (isRefused) this.giveUp(failure);
    return isRefused;
  }

  protected override async start(): Promise<void> {
    if (this.#isHeard) {
      await super.start();
      return;
    }
    this.video.muted = true;
    await this.video.play().catch(() => undefined);
  }
}
