/** Settings by section, with a search over them; each is saved as soon as it is changed. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Health, SystemFacts } from '../../lib/wire/api.ts';
import { connection } from '../device/connection.ts';
import { query } from '../navigation/router.ts';
import { NotificationTargets } from '../notices/targets.tsx';
import { getHealth, getSystem } from '../query/api.ts';
import { GUIDE_STATUS } from '../query/queries.ts';
import { household, readHousehold } from '../query/settings.ts';
import { callQuery, type Shown, useQuery } from '../query/use-query.ts';
import { CardField } from '../tuners/card-block.tsx';
import { Icon } from '../ui/icon.tsx';
import { Panel } from '../ui/panel.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { adviceFor } from '../words/advice.ts';
import { FieldFailure } from '../words/field-failure.tsx';
import { AccessBlock } from './access.tsx';
import { ClientLinksBlock } from './client-links.tsx';
import { DevicesBlock } from './devices.tsx';
import { EncodeHours, EncodeMeasured, EncodeOlder } from './encode.tsx';
import { ClockBlock, SystemBlock } from './facts.tsx';
import {
  ChoiceField,
  DeviceField,
  DigitsField,
  ListField,
  NumberField,
  SwitchField,
  WaitingField,
} from './field.tsx';
import { FoldersBlock } from './folders.tsx';
import { LicensesBlock } from './licenses.tsx';
import { MqttBlock } from './mqtt.tsx';
import { matches, ROWS, type Row, SECTIONS, type SectionKey } from './table.ts';
import { TEXTS } from './texts.ts';

/** Facts change slowly and without an event. */
const POLL_MS = 15_000;

/** Contents of a section besides its settings, and the words by which it is found. */
const CLOCK = {
  section: 'guide',
  label: TEXTS.clock,
  help: TEXTS.clockHelp,
  words: TEXTS.clockWords,
} as const;
const FOLDERS = {
  section: 'recording',
  label: TEXTS.folders,
  help: TEXTS.foldersHelp,
  words: TEXTS.foldersWords,
} as const;
const ACCESS = {
  section: 'access',
  label: TEXTS.access,
  help: TEXTS.accessHelp,
  words: TEXTS.accessWords,
} as const;
const NOTIFY = {
  section: 'notify',
  label: TEXTS.notify,
  help: TEXTS.notifyHelp,
  words: TEXTS.notifyWords,
} as const;
const DEVICES = {
  section: 'devices',
  label: TEXTS.devices,
  help: TEXTS.devicesHelp,
  words: TEXTS.devicesWords,
} as const;
const LINKS = {
  section: 'devices',
  label: TEXTS.links,
  help: TEXTS.linksHelp,
  words: TEXTS.linksWords,
} as const;
const MQTT = {
  section: 'devices',
  label: TEXTS.mqtt,
  help: TEXTS.mqttHelp,
  words: TEXTS.mqttWords,
} as const;
const ENCODE_HOURS = {
  section: 'encode',
  label: TEXTS.encodeHours,
  help: TEXTS.encodeHoursHelp,
  words: TEXTS.encodeHoursWords,
} as const;
const ENCODE_MEASURED = {
  section: 'encode',
  label: TEXTS.encodeMeasured,
  help: TEXTS.encodeMeasuredHelp,
  words: TEXTS.encodeMeasuredWords,
} as const;
const ENCODE_OLDER = {
  section: 'encode',
  label: TEXTS.encodeOlder,
  help: TEXTS.encodeOlderHelp,
  words: TEXTS.encodeOlderWords,
} as const;
const SYSTEM = {
  section: 'system',
  label: TEXTS.system,
  help: TEXTS.systemHelp,
  words: TEXTS.systemWords,
} as const;

const CARD = {
  section: 'system',
  label: TEXTS.card,
  help: TEXTS.cardHelp,
  words: TEXTS.cardWords,
} as const;
const LICENSES = {
  section: 'system',
  label: TEXTS.licenses,
  help: TEXTS.licensesHelp,
  words: TEXTS.licensesWords,
} as const;

interface Facts {
  readonly system: SystemFacts;
  readonly health: Health | undefined;
}

async function readFacts(signal: AbortSignal): Promise<Facts> {
  const [system, health] = await Promise.all([
    getSystem(signal),
    // Only the version and the number of stations come from here: the rest works without them.
    getHealth(signal).catch(() => undefined),
  ]);
  return { system, health };
}

const FACTS = callQuery('facts', ['settings', 'tuners'], readFacts, POLL_MS);

function Setting({ row, facts }: { row: Row; facts: Facts | undefined }) {
  if (row.kind === 'device') return <DeviceField row={row} />;
  const held = household.value;
  if (held.kind === 'loading') return <WaitingField row={row} />;
  if (held.kind !== 'ready' || held.settings[row.key] === undefined) return null;
  const props = { settings: held.settings, defaults: facts?.system.defaults };
  switch (row.kind) {
    case 'switch':
      return <SwitchField row={row} {...props} />;
    case 'number':
      return <NumberField row={row} {...props} />;
    case 'choice':
      return <ChoiceField row={row} {...props} />;
    case 'list':
      return <ListField row={row} {...props} />;
    case 'digits':
      return <DigitsField row={row} {...props} />;
  }
}

function Clock() {
  const { value, failure } = useQuery({ ...GUIDE_STATUS, poll: POLL_MS });
  return (
    <div class="field-block">
      <h3>{CLOCK.label}</h3>
      {value === undefined && failure !== undefined ? (
        <FieldFailure failure={failure} />
      ) : (
        <ClockBlock clocks={value?.clocks ?? []} />
      )}
    </div>
  );
}

interface SectionProps {
  readonly section: (typeof SECTIONS)[number];
  readonly search: string;
  readonly facts: Shown<Facts>;
}

function isShown(key: SectionKey, search: string): boolean {
  const described = [
    ...ROWS,
    FOLDERS,
    ENCODE_HOURS,
    ENCODE_MEASURED,
    ENCODE_OLDER,
    CLOCK,
    NOTIFY,
    ACCESS,
    DEVICES,
    LINKS,
    MQTT,
    SYSTEM,
    CARD,
    LICENSES,
  ].filter((one) => one.section === key);
  return described.some((one) => matches(one, search));
}

function Section({ section, search, facts }: SectionProps) {
  const rows = ROWS.filter((row) => row.section === section.key && matches(row, search));
  return (
    <section class="block" id={`section-${section.key}`} aria-label={section.title}>
      <header class="block-head">
        <h2>{section.title}</h2>
      </header>
      {rows.map((row) => (
        <Setting key={row.key} row={row} facts={facts.value} />
      ))}
      {section.key === FOLDERS.section && matches(FOLDERS, search) ? (
        <div class="field-block">
          <h3>{FOLDERS.label}</h3>
          <p class="block-note">{FOLDERS.help}</p>
          <FoldersBlock />
        </div>
      ) : null}
      {[
        { about: ENCODE_HOURS, Block: EncodeHours },
        { about: ENCODE_MEASURED, Block: EncodeMeasured },
        { about: ENCODE_OLDER, Block: EncodeOlder },
      ].map(({ about, Block }) =>
        section.key === about.section && matches(about, search) ? (
          <div key={about.label} class="field-block">
            <h3>{about.label}</h3>
            <p class="block-note">{about.help}</p>
            <Block />
          </div>
        ) : null,
      )}
      {section.key === CLOCK.section && matches(CLOCK, search) ? <Clock /> : null}
      {section.key === ACCESS.section && matches(ACCESS, search) ? (
        <div class="field-block">
          <h3>{ACCESS.label}</h3>
          <AccessBlock />
        </div>
      ) : null}
      {section.key === NOTIFY.section && matches(NOTIFY, search) ? (
        <div class="field-block">
          <h3>{NOTIFY.label}</h3>
          <NotificationTargets />
        </div>
      ) : null}
      {section.key === DEVICES.section && matches(DEVICES, search) ? (
        <div class="field-block">
          <h3>{DEVICES.label}</h3>
          <DevicesBlock />
        </div>
      ) : null}
      {section.key === LINKS.section && matches(LINKS, search) ? (
        <div class="field-block">
          <h3>{LINKS.label}</h3>
          <p class="block-note">{LINKS.help}</p>
          <ClientLinksBlock />
        </div>
      ) : null}
      {section.key === MQTT.section && matches(MQTT, search) ? (
        <div class="field-block">
          <h3>{MQTT.label}</h3>
          <p class="block-note">{MQTT.help}</p>
          <MqttBlock />
        </div>
      ) : null}
      {section.key === SYSTEM.section && matches(SYSTEM, search) ? (
        facts.value !== undefined ? (
          <SystemBlock {...facts.value} />
        ) : facts.failure !== undefined ? (
          <FieldFailure failure={facts.failure} />
        ) : (
          <span class="skeleton block-skeleton" />
        )
      ) : null}
      {section.key === CARD.section && matches(CARD, search) ? (
        <div class="field-block">
          <h3>{CARD.label}</h3>
          <CardField />
        </div>
      ) : null}
      {section.key === LICENSES.section && matches(LICENSES, search) ? (
        <div class="field-block">
          <h3>{LICENSES.label}</h3>
          <p class="block-note">{LICENSES.help}</p>
          <LicensesBlock />
        </div>
      ) : null}
    </section>
  );
}

/** The household's settings cannot be read: those of the device are shown anyway. */
function HouseholdFailed() {
  const held = household.value;
  if (held.kind !== 'failed') return null;
  return (
    <div class="tuner-error align-center below-100" role="alert">
      <Icon name="unlink" />
      <p class="grow">
        <b class="block-level">{held.failure.message}</b>
        {adviceFor(held.failure).next}
      </p>
      <button type="button" class="button button-small" onClick={() => void readHousehold()}>
        {TEXTS.retry}
      </button>
    </div>
  );
}

export function SettingsScreen() {
  const search = useSignal('');
  const field = useRef<HTMLInputElement>(null);
  const facts = useQuery(FACTS);
  useEffect(() => {
    if (connection.value === 'open') void readHousehold();
  }, [connection.value]);
  const wanted = query.value.get('section');
  useEffect(() => {
    if (wanted !== null) document.getElementById(`section-${wanted}`)?.scrollIntoView({ block: 'start' });
  }, [wanted]);
  const sections = SECTIONS.filter(({ key }) => isShown(key, search.value));
  return (
    <div class="settings">
      <header class="screen-head">
        <h1 class="screen-title">{TEXTS.settings}</h1>
        <SearchField
          label={TEXTS.find}
          kind="settings-search"
          value={search.value}
          field={field}
          onInput={(text) => {
            search.value = text.trim();
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Escape' || search.value === '') return;
            event.preventDefault();
            search.value = '';
          }}
        />
      </header>
      <HouseholdFailed />
      <a class="row settings-tuners below-75 bordered surface" href="tuners">
        <Icon name="antenna" />
        <span class="row-text">
          <span class="row-title">{TEXTS.tuners}</span>
          <span class="row-name">{TEXTS.tunersNote}</span>
        </span>
        <Icon name="next" class="row-go" />
      </a>
      <a class="row settings-tuners below-75 bordered surface" href="setup">
        <Icon name="check" />
        <span class="row-text">
          <span class="row-title">{TEXTS.setup}</span>
          <span class="row-name">{TEXTS.setupNote}</span>
        </span>
        <Icon name="next" class="row-go" />
      </a>
      <div class="settings-columns stack">
        <nav
          class="settings-nav stack gap-25 sticky"
          aria-label={TEXTS.kinds}
          data-nav-group="settings-nav"
          data-nav-side=""
        >
          {sections.map(({ key, title }) => (
            <button
              key={key}
              type="button"
              class="settings-link bold muted text-left round-m hover-deep"
              onClick={() => {
                const section = document.getElementById(`section-${key}`);
                section?.scrollIntoView({ block: 'start' });
                section?.querySelector<HTMLElement>('button')?.focus({ preventScroll: true });
              }}
            >
              {title}
            </button>
          ))}
        </nav>
        <div class="settings-sections stack">
          {sections.map((section) => (
            <Section key={section.key} section={section} search={search.value} facts={facts} />
          ))}
          {sections.length === 0 ? (
            <Panel icon="search" title={TEXTS.noneFound(search.value)}>
              <p>{TEXTS.noneFoundNote}</p>
            </Panel>
          ) : null}
        </div>
      </div>
    </div>
  );
}
