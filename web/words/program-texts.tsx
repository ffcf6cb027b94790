/** What a broadcaster says of a programme, at length. */
import { narrow } from './channel.ts';
import { TEXTS } from './texts.ts';

interface TextsProps {
  readonly description: string;
  /** Texts by their headings. */
  readonly extended: Readonly<Record<string, string>>;
}

/** Broadcasters repeat the short text at the head of the long one. */
function itemsBeside(description: string, extended: TextsProps['extended']): (readonly [string, string])[] {
  return Object.entries(extended)
    .map(([heading, body]) => [heading, body.replace(description, '').trim()] as const)
    .filter(([, body]) => body !== '');
}

export function Texts({ description, extended }: TextsProps) {
  const items = itemsBeside(description, extended);
  return (
    <>
      {description === '' ? null : <p class="program-summary">{narrow(description)}</p>}
      {items.length === 0 ? null : (
        <dl class="program-extended above-150 gap-100 stack">
          {items.map(([heading, body]) => (
            <div key={heading}>
              <dt class="text-s extrabold text-accent">
                {heading === '' ? TEXTS.contents : narrow(heading)}
              </dt>
              <dd>{narrow(body)}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}
