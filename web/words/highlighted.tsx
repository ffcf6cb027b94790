/** A text with the words that were searched for marked. */
import type { Piece } from './highlight.ts';
import { WholeTitle } from './whole-title.tsx';

export function Highlighted({ pieces }: { pieces: readonly Piece[] }) {
  return (
    <span>
      {pieces.map(({ text, hit }, index) => {
        const whole = <WholeTitle title={text} />;
        return hit ? <mark key={index}>{whole}</mark> : <span key={index}>{whole}</span>;
      })}
    </span>
  );
}
