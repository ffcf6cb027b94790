/** The marks of a title as badges. */
import type { Mark } from './mark.ts';

export function Marks({ marks }: { marks: readonly Mark[] }) {
  if (marks.length === 0) return null;
  return (
    <span class="marks wrap gap-25">
      {marks.map((mark) => (
        <span
          key={mark.face}
          class={`mark inline-row text-xs bold fill-quiet mark-${mark.tone}`}
          title={mark.label}
        >
          <span aria-hidden="true">{mark.face}</span>
          <span class="hidden-text">{mark.label}</span>
        </span>
      ))}
    </span>
  );
}
