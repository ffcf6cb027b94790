/** A title whose number of an episode is not broken over two lines. */
import { wholeEpisodes } from './title.ts';

export function WholeTitle({ title }: { title: string }) {
  return (
    <span>
      {wholeEpisodes(title).map(({ text, isEpisode }) =>
        isEpisode ? (
          <span key={text} class="inline-block">
            {text}
          </span>
        ) : (
          text
        ),
      )}
    </span>
  );
}
