/** The tuners and their use, the guide that they collect, and the channel scan. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { BROADCAST_TYPES } from '../../lib/arib/ids.ts';
import type { Channel, Tuner } from '../../lib/wire/agent.ts';
import type { GuideStatus } from '../../lib/wire/api.ts';
import { now } from '../device/clock.ts';
import { homeTab } from '../device/preferences.ts';
import { gathered } from '../query/guide-status.ts';
import { CHANNELS, GUIDE_STATUS, TUNERS } from '../query/queries.ts';
import { stations } from '../query/stations.ts';
import { type Shown, useQuery } from '../query/use-query.ts';
import { Icon } from '../ui/icon.tsx';
import { Panel } from '../ui/panel.tsx';
import { FailurePanel } from '../words/failure-panel.tsx';
import { FieldFailure } from '../words/field-failure.tsx';
import { agoText } from '../words/time.ts';
import { TYPE_NAMES } from '../words/tuner.ts';
import { CardBlock } from './card-block.tsx';
import { Collect } from './collect.tsx';
import { CoverageList } from './coverage.tsx';
import { Devices } from './devices.tsx';
import { TunerEdit } from './edit.tsx';
import { ReceptionTests } from './reception-test.tsx';
import { Scan } from './scan.tsx';
import { TEXTS } from './texts.ts';
import { type TroubleWords, troubleWords } from './trouble-words.ts';
import { TunerCard } from './tuner-card.tsx';

/** Signals change without an event. */
const POLL_MS = 3_000;

function TunerList({ tuners, channels }: { tuners: readonly Tuner[]; channels: readonly Channel[] }) {
  if (tuners.length === 0) {
    return (
      <Panel icon="antenna" title={TEXTS.noTuners}>
        <p>{TEXTS.noTunersNote}</p>
      </Panel>
    );
  }
  // A rank is shared by tuners of the same kind; among those the order of the list decides.
  const used = tuners.filter(({ rank }) => rank !== null);
  return (
    <ul class="tuner-list stack above-75 gap-50">
      {tuners.map((tuner) => (
        <TunerCard
          key={tuner.id}
          tuner={tuner}
          number={tuner.rank === null ? undefined : used.indexOf(tuner) + 1}
          channels={channels}
        />
      ))}
    </ul>
  );
}

/** More would push the guide's own list out of sight. */
const PLACES_SHOWN = 6;

function placesText(places: TroubleWords['places']): string {
  const more = places.length - PLACES_SHOWN;
  return `${places.slice(0, PLACES_SHOWN).join('、')}${more > 0 ? TEXTS.morePlaces(more) : ''}`;
}

function triesText({ failures, at, tone }: TroubleWords): string | undefined {
  if (at === undefined) return undefined;
  const often = failures > 1 && tone === 'bad' ? TEXTS.inARow(failures) : '';
  return TEXTS.lastTry(often, agoText(at, now.value));
}

/** Channels whose guide could not be read: cause, since when, and the next step. */
function Troubles({ status, channels }: { status: GuideStatus; channels: readonly Channel[] }) {
  const groups = troubleWords(status.troubles, channels);
  if (groups.length === 0) return null;
  return (
    <ul class="troubles below-100 above-100 no-margin stack gap-50" aria-label={TEXTS.troubles}>
      {groups.map((words, index) => {
        const tries = triesText(words);
        return (
          <li key={words.key} class="alert" data-tone={words.tone}>
            <Icon name={words.tone === 'bad' ? 'alert' : 'clock'} />
            <div>
              <b>{words.title}</b>
              <p class="numbers semibold" title={words.places.join('、')}>
                {placesText(words.places)}
              </p>
              {words.reason === undefined && tries === undefined ? null : (
                <p>
                  {words.reason}
                  {tries === undefined ? null : <span class="numbers muted">{TEXTS.tries(tries)}</span>}
                </p>
              )}
              {/* Once below those that ask for the same. */}
              {words.next === groups[index + 1]?.next ? null : <p>{words.next}</p>}
            </div>
          </li>
        );
      })}
    </ul>
  );
}

function GuideBlock({ channels }: { channels: readonly Channel[] }) {
  const { value: status, failure, renew } = useQuery(GUIDE_STATUS);
  const present = BROADCAST_TYPES.filter((type) => stations.value.some((station) => station.type === type));
  const type = present.find((candidate) => candidate === homeTab.value) ?? present[0];
  const all = status === undefined ? undefined : gathered(status.stations);
  const thin = status?.stations.filter((station) => station.thin).length ?? 0;
  return (
    <section class="block" aria-labelledby="coverage-title" data-nav-column="">
      <header class="block-head">
        <h2 id="coverage-title">{TEXTS.collect}</h2>
        {all === undefined || all.total === 0 ? null : (
          <span class="semibold note numbers inline-row">
            {TEXTS.collected(all.total, all.known, thin === 0 ? '' : TEXTS.thinCount(thin))}
          </span>
        )}
      </header>
      <Collect status={status} channels={channels} renew={renew} />
      {status === undefined ? null : <Troubles status={status} channels={channels} />}
      {status === undefined && failure !== undefined ? <FieldFailure failure={failure} /> : null}
      {present.length < 2 || type === undefined ? null : (
        <div class="tabs" role="tablist" aria-label={TEXTS.bands} data-nav-group="coverage-types">
          {present.map((candidate) => (
            <button
              key={candidate}
              type="button"
              role="tab"
              class="tab"
              aria-selected={candidate === type}
              onClick={() => {
                homeTab.value = candidate;
              }}
            >
              {TYPE_NAMES[candidate]}
            </button>
          ))}
        </div>
      )}
      {status === undefined || type === undefined ? null : <CoverageList status={status} type={type} />}
    </section>
  );
}

function Loaded({ tuners, channels }: { tuners: Shown<Tuner[]>; channels: readonly Channel[] }) {
  const list = tuners.value ?? [];
  const editing = useSignal(false);
  const busy = list.filter((tuner) => tuner.users.length > 0).length;
  return (
    <div class="tuner-blocks align-start stack">
      <div class="tuner-side stack" data-nav-column="">
        <section class="block" aria-labelledby="tuners-title">
          <header class="block-head">
            <h2 id="tuners-title">{TEXTS.list}</h2>
            {list.length === 0 ? null : (
              <span class="semibold note numbers inline-row">{TEXTS.listCount(list.length, busy)}</span>
            )}
            {editing.value || list.length === 0 ? null : (
              <button
                type="button"
                class="button button-small"
                onClick={() => {
                  editing.value = true;
                }}
              >
                {TEXTS.edit}
              </button>
            )}
          </header>
          {editing.value || list.length === 0 ? null : <p class="note">{TEXTS.orderNote}</p>}
          {tuners.failure === undefined ? null : <FieldFailure failure={tuners.failure} />}
          {editing.value ? (
            <TunerEdit
              tuners={list}
              onDone={() => {
                editing.value = false;
              }}
            />
          ) : (
            <>
              <TunerList tuners={list} channels={channels} />
              <Devices tuners={list} />
            </>
          )}
        </section>
        <CardBlock />
        <ReceptionTests tuners={list} channels={channels} />
        <Scan tuners={list} />
      </div>
      <GuideBlock channels={channels} />
    </div>
  );
}

export function TunersScreen() {
  const tuners = useQuery({ ...TUNERS, poll: POLL_MS });
  const channels = useQuery(CHANNELS);
  useEffect(() => {
    // After the agent came back its channels may be others.
    if (channels.failure !== undefined && tuners.value !== undefined) void channels.renew();
  }, [tuners.value === undefined]);
  return (
    <>
      <header class="screen-head">
        <h1 class="screen-title">{TEXTS.tuners}</h1>
      </header>
      {tuners.value !== undefined ? (
        <Loaded tuners={tuners} channels={channels.value ?? []} />
      ) : tuners.failure !== undefined ? (
        <FailurePanel failure={tuners.failure} onRetry={tuners.renew} />
      ) : (
        <div class="tuner-blocks align-start stack" role="status">
          <span class="hidden-text">{TEXTS.loading}</span>
          <span class="skeleton block-skeleton" />
          <span class="skeleton block-skeleton" />
        </div>
      )}
    </>
  );
}
