/**
 * Style sheets that are loaded when something needs them. `index.html` has an element for each group, in the order of
 * the cascade: the order in which they arrive changes nothing.
 */

export type StyleGroup =
  | 'home'
  | 'player'
  | 'guide'
  | 'equipment'
  | 'bookings'
  | 'rules'
  | 'posters'
  | 'recordings'
  /** The built-in font, for devices without a Japanese one. */
  | 'fonts';

const loadedGroups = new Map<StyleGroup, Promise<void>>();

async function add(group: StyleGroup): Promise<void> {
  const link = document.querySelector<HTMLLinkElement>(`link[data-group="${group}"]`);
  const address = link?.dataset.href;
  if (link === null || address === undefined) return;
  try {
    await new Promise((resolve, reject) => {
      link.addEventListener('load', resolve, { once: true });
      link.addEventListener('error', () => reject(new Error(`${address}: not loaded`)), { once: true });
      link.rel = 'stylesheet';
      link.href = address;
    });
  } catch (error) {
    // The same address again would not be fetched.
    link.removeAttribute('href');
    loadedGroups.delete(group);
    throw error;
  }
}

/** @throws Error where one cannot be fetched; the next call tries it again */
export async function addStyles(groups: readonly StyleGroup[]): Promise<void> {
  await Promise.all(
    groups.map((group) => {
      const arrival = loadedGroups.get(group) ?? add(group);
      loadedGroups.set(group, arrival);
      return arrival;
    }),
  );
}
