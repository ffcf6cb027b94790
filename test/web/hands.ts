/** Operates a screen like a user: by pointer, or by the keys of a remote control. Both count the presses. */
import type { Locator, Page } from 'playwright-core';

/** Largest number of key presses to reach a control. */
const MOST_STEPS = 60;

type Arrow = 'ArrowUp' | 'ArrowDown' | 'ArrowLeft' | 'ArrowRight';

export interface Hands {
  readonly page: Page;
  /** Number of presses since the task began; a written text counts as one. */
  presses(): number;
  choose(target: Locator): Promise<void>;
  write(field: Locator, text: string): Promise<void>;
  /** A key that has a meaning of its own, on a keyboard or on a remote control. */
  key(name: string): Promise<void>;
}

abstract class Counting implements Hands {
  #presses = 0;

  constructor(readonly page: Page) {}

  presses(): number {
    return this.#presses;
  }

  protected count(): void {
    this.#presses += 1;
  }

  abstract choose(target: Locator): Promise<void>;

  async write(field: Locator, text: string): Promise<void> {
    await field.waitFor();
    if (!(await field.evaluate((element) => element === document.activeElement))) await this.choose(field);
    this.count();
    await this.page.keyboard.insertText(text);
  }

  async key(name: string): Promise<void> {
    this.count();
    await this.page.keyboard.press(name);
  }
}

export class PointerHands extends Counting {
  async choose(target: Locator): Promise<void> {
    this.count();
    await target.click();
  }
}

/** Where the focus is and where it should be, by the visible layout. */
interface Sight {
  readonly there: boolean;
  /** From the middle of the focus to the nearest part of the target, px; null: nothing has the focus. */
  readonly way: { readonly x: number; readonly y: number } | null;
  /** Changes whenever a key had an effect. */
  readonly scene: string;
}

/** Walks to a control by arrows: towards it, and where that leads nowhere along the other axis. */
export class RemoteHands extends Counting {
  async choose(target: Locator): Promise<void> {
    await this.#walk(target);
    await this.key('Enter');
  }

  override async write(field: Locator, text: string): Promise<void> {
    await this.#walk(field);
    this.count();
    await this.page.keyboard.insertText(text);
  }

  #look(target: Locator): Promise<Sight> {
    return target.evaluate((wanted): Sight => {
      const active = document.activeElement;
      const held = active === null || active === document.body || active.id === 'main' ? null : active;
      const goal = wanted.getBoundingClientRect();
      const box = held?.getBoundingClientRect();
      const scene = box === undefined ? '' : `${box.x} ${box.y} ${held?.textContent} ${scrollY}`;
      const gap = (from: number, to: number, at: number): number =>
        at < from ? from - at : at > to ? to - at : 0;
      return {
        there: held !== null && (held === wanted || wanted.contains(held)),
        way:
          box === undefined
            ? null
            : {
                x: gap(goal.left, goal.right, box.x + box.width / 2),
                y: gap(goal.top, goal.bottom, box.y + box.height / 2),
              },
        scene,
      };
    });
  }

  async #walk(target: Locator): Promise<void> {
    await target.waitFor();
    const tried = new Map<string, Set<Arrow>>();
    for (let step = 0; step < MOST_STEPS; step += 1) {
      const { there, way, scene } = await this.#look(target);
      if (there) return;
      const done = tried.get(scene) ?? new Set();
      tried.set(scene, done);
      const arrow = arrowsTowards(way).find((one) => !done.has(one));
      if (arrow === undefined) break;
      done.add(arrow);
      await this.key(arrow);
    }
    throw new Error(`no way by arrows to ${target} from ${JSON.stringify(await this.#look(target))}`);
  }
}

function arrowsTowards(way: Sight['way']): Arrow[] {
  if (way === null) return ['ArrowDown', 'ArrowRight', 'ArrowUp', 'ArrowLeft'];
  const across: Arrow[] = way.x < 0 ? ['ArrowLeft', 'ArrowRight'] : ['ArrowRight', 'ArrowLeft'];
  const down: Arrow[] = way.y < 0 ? ['ArrowUp', 'ArrowDown'] : ['ArrowDown', 'ArrowUp'];
  const [first, second] = Math.abs(way.y) >= Math.abs(way.x) ? [down, across] : [across, down];
  // The way that leads there first, the way back last.
  return [first[0], second[0], second[1], first[1]].filter((one) => one !== undefined);
}
