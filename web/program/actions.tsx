/**
 * What can be done with a programme. A list, so that each capability adds its own: a button stands here only while
 * it leads somewhere.
 */
import type { ProgramDetail } from '../../wire/api.ts';
import { newRule } from '../rules/address.ts';
import { keywordFor } from '../rules/form.ts';
import { seriesWords } from '../text/series-words.ts';
import { Icon, type IconName } from '../ui/icon.tsx';

interface Action {
  readonly key: string;
  readonly icon: IconName;
  readonly label: string;
  /** Relative to the document's base. */
  readonly href: string;
  /** The one that most people came for. */
  readonly main: boolean;
}

function watch(program: ProgramDetail, now: number): Action | undefined {
  if (program.start_at > now || program.end_at <= now) return undefined;
  return { key: 'watch', icon: 'play', label: '視聴', href: `live/${program.station_id}`, main: true };
}

function findSame(program: ProgramDetail): Action {
  const words = new URLSearchParams({ q: seriesWords(program.name) });
  return { key: 'search', icon: 'search', label: '同じ題名を検索', href: `search?${words}`, main: false };
}

/** With the title's words, at its station: what a person would begin with. */
function makeRule(program: ProgramDetail): Action {
  const keyword = keywordFor(seriesWords(program.name));
  const href = newRule({ keyword, stationId: program.station_id });
  return { key: 'rule', icon: 'filter', label: 'ルールを作る', href, main: false };
}

function showInGuide(program: ProgramDetail): Action {
  const place = new URLSearchParams({ at: String(program.start_at), station: String(program.station_id) });
  return { key: 'guide', icon: 'guide', label: '番組表で見る', href: `guide?${place}`, main: false };
}

export function actionsFor(program: ProgramDetail, now: number, inGuide: boolean): Action[] {
  return [
    watch(program, now),
    findSame(program),
    makeRule(program),
    inGuide ? undefined : showInGuide(program),
  ].filter((action) => action !== undefined);
}

export function Actions({ actions }: { actions: readonly Action[] }) {
  return (
    <div class="program-actions">
      {actions.map((action, index) => (
        <a
          key={action.key}
          class={`button ${action.main ? 'button-main' : ''}`}
          href={action.href}
          data-nav-initial={index === 0 ? '' : undefined}
        >
          <Icon name={action.icon} />
          {action.label}
        </a>
      ))}
    </div>
  );
}
