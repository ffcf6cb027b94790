/** The smart card: whether it can be read, how it answers, with whom its keys are shared. */
import type { Card } from '../../lib/wire/agent.ts';
import { now } from '../device/clock.ts';
import type { ApiFailure } from '../query/api.ts';
import { CARD } from '../query/queries.ts';
import { useQuery } from '../query/use-query.ts';
import { Icon } from '../ui/icon.tsx';
import { answerTimeText, cardWords, refusalText, upstreamText } from '../words/card.ts';
import { CheckAgain } from '../words/check-again.tsx';
import { FieldFailure } from '../words/field-failure.tsx';
import { agoText } from '../words/time.ts';
import { TEXTS } from './texts.ts';

/** Requests and peers change without an event. */
const POLL_MS = 5_000;

function CardFact({ name, children }: { name: string; children: string }) {
  return (
    <div>
      <dt class="muted">{name}</dt>
      <dd class="numbers bold">{children}</dd>
    </div>
  );
}

function Facts({ card }: { card: Card }) {
  const time = answerTimeText(card);
  return (
    <dl class="above-75 no-margin flex wrap text-s gap-tools">
      {card.reader === null ? null : <CardFact name={TEXTS.reader}>{card.reader}</CardFact>}
      {time === undefined ? null : <CardFact name={TEXTS.answerTime}>{time}</CardFact>}
      {card.ecm.requests === 0 ? null : (
        <CardFact name={TEXTS.requests}>
          {TEXTS.requestCount(
            card.ecm.requests.toLocaleString('ja-JP'),
            card.ecm.failed.toLocaleString('ja-JP'),
          )}
        </CardFact>
      )}
      {card.upstream === null ? null : (
        <CardFact name={TEXTS.upstream}>{upstreamText(card.upstream)}</CardFact>
      )}
    </dl>
  );
}

function Share({ share }: { share: NonNullable<Card['share']> }) {
  return (
    <div class="above-100 line-above pad-y">
      <h3>{TEXTS.share(share.port)}</h3>
      <p class="note">{share.peers.length === 0 ? TEXTS.noPeers : TEXTS.peers(share.peers.join('、'))}</p>
      {share.refused.length === 0 ? null : (
        <ul class="card-refused stack text-s above-75 gap-25" aria-label={TEXTS.refused}>
          {share.refused.map(({ peer, reason, at }) => (
            <li class="flex wrap gap-text" key={`${peer} ${reason}`}>
              <b class="numbers">{peer}</b>
              <span class="text-danger">{refusalText(reason)}</span>
              <small class="note semibold">{agoText(at, now.value)}</small>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function CardState({ card }: { card: Card }) {
  const { text, tone, next } = cardWords(card);
  if (tone === 'bad') {
    return (
      <div class="alert" role="alert">
        <Icon name="alert" />
        <p>
          <b class="block-level">{text}</b>
          {next}
        </p>
      </div>
    );
  }
  return (
    <p class="bold">
      <span class="state" data-tone={tone}>
        {text}
      </span>
    </p>
  );
}

function CardDetails({ card, failure }: { card: Card | undefined; failure: ApiFailure | undefined }) {
  if (card !== undefined) {
    return (
      <>
        <CardState card={card} />
        <Facts card={card} />
        {card.share === null ? null : <Share share={card.share} />}
      </>
    );
  }
  if (failure === undefined) return <p class="note">{TEXTS.cardLoading}</p>;
  return <FieldFailure failure={failure} />;
}

export function CardBlock() {
  const { value: card, failure, renew } = useQuery({ ...CARD, poll: POLL_MS });
  return (
    <section class="block" aria-labelledby="card-title">
      <header class="block-head">
        <h2 id="card-title">{TEXTS.card}</h2>
        {card === undefined || card.failure === null ? null : <CheckAgain isSmall onCheck={renew} />}
      </header>
      <CardDetails card={card} failure={failure} />
    </section>
  );
}

/** The same as a part of the settings. */
export function CardField() {
  const { value, failure } = useQuery({ ...CARD, poll: POLL_MS });
  return <CardDetails card={value} failure={failure} />;
}
