/** For addresses that lead nowhere. */
import { TEXTS } from './texts.ts';
import { Panel } from './ui/panel.tsx';

/** Japanese as it was typed, where it is valid. */
function readable(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

export function NotFound({ path }: { path: string }) {
  return (
    <Panel
      icon="help"
      title={TEXTS.noScreen}
      actions={
        <>
          <a class="button button-main" href="." data-nav-initial="">
            {TEXTS.toHome}
          </a>
          <a class="button" href="recordings">
            {TEXTS.toRecordings}
          </a>
        </>
      }
    >
      <p>{TEXTS.noScreenNote}</p>
      <p class="note">{readable(path)}</p>
    </Panel>
  );
}
