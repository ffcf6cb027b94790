/** The rules for automatic bookings: the list, one of them, or the editor, by the address. */
import { useEffect, useRef } from 'preact/hooks';
import { query } from '../navigation/router.ts';
import { type RuleView, viewOf } from '../navigation/rule-address.ts';
import { KnownRule, NewRule } from './editor.tsx';
import { RuleList } from './list.tsx';
import { RulePage } from './page.tsx';

function ShownRules({ view }: { view: RuleView }) {
  switch (view.kind) {
    case 'list':
      return <RuleList />;
    case 'page':
      return <RulePage id={view.id} />;
    case 'edit':
      return <KnownRule id={view.id} copy={false} />;
    case 'copy':
      return <KnownRule id={view.id} copy />;
    case 'new':
      return <NewRule />;
  }
}

/** A part of this screen begins at its top with the focus in it, as a screen of its own does. */
function useChange(key: string, toList: boolean): void {
  const first = useRef(true);
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return;
    }
    // The list is come back to: the browser knows where it was.
    if (!toList) scrollTo(0, 0);
    const active = document.activeElement;
    if (active?.closest('main, dialog, .toasts') == null || active.id === 'main') {
      document.getElementById('main')?.focus({ preventScroll: true });
    }
  }, [key]);
}

export function RulesScreen() {
  const view = viewOf(query.value);
  const key = 'id' in view ? `${view.kind} ${view.id}` : view.kind;
  useChange(key, view.kind === 'list');
  return <ShownRules key={key} view={view} />;
}
