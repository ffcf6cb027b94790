/** Whether the service has another build of the UI by now than the one that this page was loaded from. */

const TIMEOUT_MS = 8_000;
/** Build for which a page was loaded again already, in the storage of the tab. */
const LOADED_AGAIN_KEY = 'svc.loaded-again';

const scriptOf = (page: ParentNode): string | null =>
  page.querySelector('script[type="module"]')?.getAttribute('src') ?? null;

/** The name of the script that the service's page starts with now; undefined: it cannot be reached. */
async function servedScript(): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(document.baseURI, { cache: 'no-cache', signal });
    if (!response.ok) return undefined;
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    return scriptOf(page) ?? undefined;
  } catch {
    return undefined;
  }
}

export function loadAgain(): void {
  location.reload();
}

/**
 * A file of this build could not be fetched. After an update the service no longer has it: then the page is loaded
 * again, once for each build.
 * @returns `replaced`: the page is being left; `same`: the service has this build; `away`: it cannot be reached
 */
export async function leaveIfReplaced(): Promise<'replaced' | 'same' | 'away'> {
  const served = await servedScript();
  if (served === undefined) return 'away';
  if (served === scriptOf(document)) return 'same';
  try {
    if (sessionStorage.getItem(LOADED_AGAIN_KEY) === served) return 'same';
    sessionStorage.setItem(LOADED_AGAIN_KEY, served);
  } catch {
    // Without storage nothing would end a loop of reloads.
    return 'same';
  }
  loadAgain();
  return 'replaced';
}
