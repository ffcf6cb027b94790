/** For addresses that lead nowhere. */
import { Panel } from '../ui/panel.tsx';
import { TEXTS } from './texts.ts';

export function NotFound({ path }: { path: string }) {
  return (
    <Panel
      icon="help"
      title={TEXTS.noScreen}
      actions={
        <a class="button button-main" href="." data-nav-initial="">
          {TEXTS.toHome}
        </a>
      }
    >
      <p>
        <code>{path}</code> {TEXTS.noScreenNote}
      </p>
    </Panel>
  );
}
