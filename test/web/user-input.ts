/** Operates a screen like a user, by pointer or by the keys of a remote control, and counts the presses. */
import type { Locator, Page } from 'playwright-core';

/** Two presses as one gesture, however late this machine is. */
export async function pressTwice(page: Page, key: string): Promise<void> {
  await page.evaluate((which) => {
    for (const type of ['keydown', 'keyup', 'keydown', 'keyup']) {
      const event = new KeyboardEvent(type, { key: which, bubbles: true, cancelable: true });
      (document.activeElement ?? document.body).dispatchEvent(event);
    }
  }, key);
}

/** Largest number of key presses to reach a control. */
const MOST_STEPS = 60;

type Arrow = 'ArrowUp' | 'ArrowDown' | 'ArrowLeft' | 'ArrowRight';

export interface UserInput {
  readonly page: Page;
  /** Number of presses since the task began; a text input counts as one. */
  presses(): number;
  choose(target: Locator): Promise<void>;
  write(field: Locator, text: string): Promise<void>;
  /** Presses a key with a function of its own, on a keyboard or on a remote control. */
  key(name: string): Promise<void>;
}

abstract class CountedInput implements UserInput {
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

export class PointerInput extends CountedInput {
  async choose(target: Locator): Promise<void> {
    this.count();
    await target.click();
  }
}

/** Position of the focus relative to the target, by the visible layout. */
interface FocusState {
  readonly there: boolean;
  /**
   * From the centre of the focused element to the nearest edge of the target, px; null: nothing has the
   * focus.
   */
  readonly way: { readonly x: number; readonly y: number } | null;
  /** Changes whenever a key had an effect. */
  readonly scene: string;
}

/** Moves to a control by arrow keys: towards it, and along the other axis if that has no effect. */
export class RemoteInput extends CountedInput {
  async choose(target: Locator): Promise<void> {
    await this.#walk(target);
    await this.key('Enter');
  }

  override async write(field: Locator, text: string): Promise<void> {
    await this.#walk(field);
    this.count();
    await this.page.keyboard.insertText(text);
  }

  #look(target: Locator): Promise<FocusState> {
    return target.evaluate((wanted): FocusState => {
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
    throw new Error(
      `${target} cannot be reached by arrow keys from ${JSON.stringify(await this.#look(target))}`,
    );
  }
}

function arrowsTowards(way: FocusState['way']): Arrow[] {
  if (way === null) return ['ArrowDown', 'ArrowRight', 'ArrowUp', 'ArrowLeft'];
  const across: Arrow[] = way.x < 0 ? ['ArrowLeft', 'ArrowRight'] : ['ArrowRight', 'ArrowLeft'];
  const down: Arrow[] = way.y < 0 ? ['ArrowUp', 'ArrowDown'] : ['ArrowDown', 'ArrowUp'];
  const [first, second] = Math.abs(way.y) >= Math.abs(way.x) ? [down, across] : [across, down];
  // The direct direction first, the opposite one last.
  return [first[0], second[0], second[1], first[1]].filter((one) => one !== undefined);
}
