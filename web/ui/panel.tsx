/** A message that fills a screen: something is missing, failed or empty, and what can be done about it. */
import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';

interface PanelProps {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly alert?: boolean;
}

export function Panel({ icon, title, children, actions, alert = false }: PanelProps) {
  return (
    <section class="panel stack items-middle gap-100 text-center" role={alert ? 'alert' : undefined}>
      <span class="panel-sign">
        <Icon name={icon} />
      </span>
      <h2>{title}</h2>
      {children}
      {actions === undefined ? null : <div class="panel-actions">{actions}</div>}
    </section>
  );
}
