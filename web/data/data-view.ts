/** How a data broadcast changes the stage of the player. */
import type { ComponentProgress, VideoRectangle } from '../bml/bml-messages.ts';
import { KEY } from '../bml/engine/keys.ts';
import { isBackKey, isTextField } from '../navigation/focus.ts';
import type { DataBroadcast, Plane } from './data-broadcast.ts';
import { remoteKeyOf } from './remote-keys.ts';

/** As `hybrid/hybrid-messages.ts` gives places on it. */
const APPLICATION_PLANE: Plane = { width: 960, height: 540, aspect: 16 / 9 };

export type PageState = 'loading' | 'shown' | 'ended';

/** What of the data broadcast, or of its application, is on the screen; undefined: nothing. */
export function pageOf(data: DataBroadcast): PageState | undefined {
  if (data.application.isOpen) return kindOf(data.application.state.value.kind);
  return kindOf(data.state.value.kind);
}

const kindOf = (kind: 'off' | 'hidden' | 'loading' | 'shown' | 'ended') =>
  kind === 'off' || kind === 'hidden' ? undefined : kind;

/** Where the station's picture is on the plane. */
function stationPicture({ application, video, plane }: DataBroadcast): {
  readonly plane: Plane;
  readonly hole: VideoRectangle | undefined;
} {
  if (application.isOpen) return { plane: APPLICATION_PLANE, hole: application.video.value };
  return { plane: plane.value, hole: video.value };
}

/** Styles of the stage: the shape of the plane, and where the document has the picture, as parts of the plane. */
export function stageStyle(data: DataBroadcast): Record<string, string> {
  const { plane, hole: given } = stationPicture(data);
  const { width, height, aspect } = plane;
  const hole = given ?? { left: 0, top: 0, width: 0, height: 0 };
  return {
    '--plane-aspect': aspect.toFixed(4),
    '--hole-x': (hole.left / width).toFixed(5),
    '--hole-y': (hole.top / height).toFixed(5),
    '--hole-w': (hole.width / width).toFixed(5),
    '--hole-h': (hole.height / height).toFixed(5),
  };
}

/** Of the picture as large as the plane, a document draws over it; on a phone it is then not put below the picture. */
const WHOLE_PART = 0.9;

/** `data-hole` of the stage: `whole`, `part`, or `none`. */
export function holeOf(data: DataBroadcast): 'whole' | 'part' | 'none' {
  const { plane, hole } = stationPicture(data);
  if (hole === undefined) return 'none';
  return hole.width * hole.height >= WHOLE_PART * plane.width * plane.height ? 'whole' : 'part';
}

// Keys of keyboard and remote control while a data broadcast is there: before the receiver's own keys are tried.

/** Controls of the frame: while one has the focus, arrows and Enter are the page's own. */
const OWN_CONTROLS = '.data-bar, .data-remote, .stage-note, .below';

const NAVIGATION: readonly number[] = [KEY.up, KEY.down, KEY.left, KEY.right, KEY.enter];

/** Whether a control of the frame has the focus. */
export const isOwnControl = (): boolean => document.activeElement?.closest(OWN_CONTROLS) != null;

/** @param focusPicture takes the focus from the controls @returns stops it */
export function listenToDataKeys(data: DataBroadcast, focusPicture: () => void): () => void {
  /** True when the key was used. */
  const act = ({ key, repeat }: KeyboardEvent): boolean => {
    const isOpen = data.isOpen;
    const isOwn = isOwnControl();
    if (isOpen && key === 'Tab' && !isOwn) {
      document.querySelector<HTMLElement>('.data-bar button')?.focus();
      return true;
    }
    const { state } = data.application.isOpen ? data.application : data;
    const hasEnded = state.peek().kind === 'ended';
    if (isOpen && isOwn && !hasEnded && isBackKey(key)) {
      focusPicture();
      return true;
    }
    // No document gets Escape: it always leaves.
    if (isOpen && key === 'Escape') {
      data.leave();
      return true;
    }
    const code = remoteKeyOf(key);
    if (code === undefined || (isOwn && NAVIGATION.includes(code))) return false;
    return data.down(code, repeat);
  };

  const onDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (isTextField(event.target) || document.querySelector('dialog[open]') !== null) return;
    if (!act(event)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  const onUp = ({ key }: KeyboardEvent): void => {
    const code = remoteKeyOf(key);
    if (code !== undefined) data.up(code);
  };
  const onBlur = (): void => data.releaseAll();
  addEventListener('keydown', onDown, true);
  addEventListener('keyup', onUp, true);
  addEventListener('blur', onBlur);
  return () => {
    removeEventListener('keydown', onDown, true);
    removeEventListener('keyup', onUp, true);
    removeEventListener('blur', onBlur);
  };
}

interface Progress {
  readonly received: number;
  readonly modules: number;
  readonly receivedOctets: number;
  readonly octets: number;
  /** 0 to 1, by octets. */
  readonly part: number;
}

/** Sums of what was received of the carousels. */
export function carouselProgress(components: readonly ComponentProgress[]): Progress {
  const modules = components.flatMap((component) => component.modules);
  const received = modules.filter(({ isReceived }) => isReceived);
  const sum = (list: typeof modules): number => list.reduce((total, { octets }) => total + octets, 0);
  const [octets, receivedOctets] = [sum(modules), sum(received)];
  const part = octets === 0 ? 0 : receivedOctets / octets;
  return { received: received.length, modules: modules.length, receivedOctets, octets, part };
}
