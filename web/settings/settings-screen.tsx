/** Settings by section, with a search over them; each is saved as soon as it is changed. */
import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Health, SystemFacts } from '../../lib/wire/api.ts';
import { connection } from '../device/connection.ts';
import { query } from '../navigation/router.ts';
import { NotificationTargets } from '../notices/targets.tsx';
import { getHealth, getSystem } from '../query/api.ts';
import { ACCESS, CLIENT_LINKS, GUIDE_STATUS } from '../query/queries.ts';
import { household, readHousehold } from '../query/settings.ts';
import { callQuery, useQuery } from '../query/use-query.ts';
import { CardField } from '../tuners/card-block.tsx';
import { Icon } from '../ui/icon.tsx';
import { Panel } from '../ui/panel.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { adviceFor } from '../words/advice.ts';
import { BlockWaiting, FieldFailure } from '../words/field-failure.tsx';
import { AccessBlock } from './access.tsx';
import { ClientLinksBlock } from './client-links.tsx';
import { DevicesBlock } from './devices.tsx';
import { EncodeHours, EncodeMeasured, EncodeOlder } from './encode.tsx';
import { ClockBlock, Fact, SystemBlock } from './facts.tsx';
import {
  ChoiceField,
  DeviceField,
  DigitsField,
  FieldWords,
  ListField,
  NumberField,
  SwitchField,
  WaitingField,
} from './field.tsx';
import { FoldersBlock } from './folders.tsx';
import { LicensesBlock } from './licenses.tsx';
import { MqttBlock } from './mqtt.tsx';
import { type Described, matches, ROWS, SECTIONS, type SectionKey, type SettingRow } from './table.ts';
import { TEXTS } from './texts.ts';

/** Facts change slowly and without an event. */
const POLL_MS = 15_000;

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

function Setting({ row, facts }: { row: SettingRow; facts: Facts | undefined }) {
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
  if (value === undefined && failure !== undefined) return <FieldFailure failure={failure} />;
  return <ClockBlock clocks={value?.clocks ?? []} />;
}

function System() {
  const { value, failure } = useQuery(FACTS);
  if (value !== undefined) return <SystemBlock {...value} />;
  return <BlockWaiting failure={failure} />;
}

/** Of a section, below its settings. */
interface Block extends Described {
  readonly Content: ComponentType;
}

/** What environment variables of the server decide: the trusted networks, the login, ports for other programs. */
function OwnerBlock() {
  const access = useQuery(ACCESS);
  const links = useQuery(CLIENT_LINKS);
  if (access.value === undefined) return <BlockWaiting failure={access.failure} />;
  const { trustedNetworks, trustedProxies, login } = access.value;
  const group = login.group === null ? '' : TEXTS.loginGroup(login.group);
  const portText = (port: number | null): string => (port === null ? TEXTS.noPort : TEXTS.port(port));
  return (
    <dl class="facts bordered clip round-m">
      {trustedNetworks.length === 0 ? (
        <Fact name={TEXTS.networks}>{TEXTS.noNetworks}</Fact>
      ) : (
        <Fact name={TEXTS.networks} note={TEXTS.networksNote}>
          {trustedNetworks.join('、')}
        </Fact>
      )}
      {trustedProxies.length === 0 ? null : (
        <Fact name={TEXTS.proxies} note={TEXTS.proxiesNote}>
          {trustedProxies.join('、')}
        </Fact>
      )}
      {login.issuer === null ? (
        <Fact name={TEXTS.login}>{TEXTS.noLogin}</Fact>
      ) : (
        <Fact name={TEXTS.login} note={TEXTS.redirect(group, login.redirectUri)}>
          {login.issuer}
        </Fact>
      )}
      {links.value === undefined ? null : (
        <>
          <Fact name={TEXTS.mirakurun} note={TEXTS.mirakurunNote}>
            {portText(links.value.mirakurunPort)}
          </Fact>
          <Fact name={TEXTS.hdhomerun} note={TEXTS.hdhomerunNote}>
            {portText(links.value.hdhomerunPort)}
          </Fact>
        </>
      )}
    </dl>
  );
}

const BLOCKS: readonly Block[] = [
  {
    ...{ section: 'recording', label: TEXTS.folders, note: TEXTS.foldersNote },
    ...{ words: TEXTS.foldersWords, Content: FoldersBlock },
  },
  {
    ...{ section: 'encode', label: TEXTS.encodeHours, note: TEXTS.encodeHoursNote },
    ...{ help: TEXTS.encodeHoursHelp, words: TEXTS.encodeHoursWords, Content: EncodeHours },
  },
  {
    ...{ section: 'encode', label: TEXTS.encodeMeasured, note: TEXTS.encodeMeasuredNote },
    ...{ words: TEXTS.encodeMeasuredWords, Content: EncodeMeasured },
  },
  {
    ...{ section: 'encode', label: TEXTS.encodeOlder, note: TEXTS.encodeOlderNote },
    ...{ words: TEXTS.encodeOlderWords, Content: EncodeOlder },
  },
  {
    ...{ section: 'guide', label: TEXTS.clock, note: TEXTS.clockNote },
    ...{ words: TEXTS.clockWords, Content: Clock },
  },
  {
    ...{ section: 'notify', label: TEXTS.notify, note: TEXTS.notifyNote },
    ...{ words: TEXTS.notifyWords, Content: NotificationTargets },
  },
  {
    ...{ section: 'access', label: TEXTS.access, note: TEXTS.accessNote },
    ...{ words: TEXTS.accessWords, Content: AccessBlock },
  },
  {
    ...{ section: 'devices', label: TEXTS.devices, note: TEXTS.devicesNote },
    ...{ words: TEXTS.devicesWords, Content: DevicesBlock },
  },
  {
    ...{ section: 'devices', label: TEXTS.links, note: TEXTS.linksNote },
    ...{ help: TEXTS.linksHelp, words: TEXTS.linksWords, Content: ClientLinksBlock },
  },
  {
    ...{ section: 'devices', label: TEXTS.mqtt, note: TEXTS.mqttNote },
    ...{ help: TEXTS.mqttHelp, words: TEXTS.mqttWords, Content: MqttBlock },
  },
  {
    ...{ section: 'system', label: TEXTS.system, note: TEXTS.systemNote },
    ...{ words: TEXTS.systemWords, Content: System },
  },
  {
    ...{ section: 'system', label: TEXTS.card, note: TEXTS.cardNote },
    ...{ words: TEXTS.cardWords, Content: CardField },
  },
  {
    ...{ section: 'system', label: TEXTS.owner, note: TEXTS.ownerNote },
    ...{ words: TEXTS.ownerWords, Content: OwnerBlock },
  },
  {
    ...{ section: 'system', label: TEXTS.licenses, note: TEXTS.licensesNote },
    ...{ words: TEXTS.licensesWords, Content: LicensesBlock },
  },
];

function isShown(key: SectionKey, search: string): boolean {
  return [...ROWS, ...BLOCKS].some((one) => one.section === key && matches(one, search));
}

interface SectionProps {
  readonly section: (typeof SECTIONS)[number];
  readonly search: string;
  readonly facts: Facts | undefined;
}

function Section({ section, search, facts }: SectionProps) {
  const isOf = (one: Described): boolean => one.section === section.key && matches(one, search);
  return (
    <section class="block" id={`section-${section.key}`} aria-label={section.title}>
      <header class="block-head">
        <h2>{section.title}</h2>
      </header>
      {ROWS.filter(isOf).map((row) => (
        <Setting key={row.key} row={row} facts={facts} />
      ))}
      {BLOCKS.filter(isOf).map((block) => (
        <div key={block.label} class="field-block">
          <FieldWords about={block} />
          <block.Content />
        </div>
      ))}
    </section>
  );
}

/** The household's settings cannot be read: those of the device are shown anyway. */
function HouseholdFailed() {
  const held = household.value;
  if (held.kind !== 'failed') return null;
  return (
    <div class="align-center below-100 alert" role="alert">
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

const INPUTS = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;

/** Brings a section to the top, also while what is loaded above it pushes it down; the first input ends that. */
function useWantedSection(key: string | null): void {
  useEffect(() => {
    const section = key === null ? null : document.getElementById(`section-${key}`);
    if (section?.parentElement == null) return undefined;
    const growth = new ResizeObserver(() => section.scrollIntoView({ block: 'start' }));
    growth.observe(section.parentElement);
    const stop = (): void => {
      growth.disconnect();
      for (const input of INPUTS) removeEventListener(input, stop);
    };
    for (const input of INPUTS) addEventListener(input, stop, { passive: true });
    return stop;
  }, [key]);
}

export function SettingsScreen() {
  const search = useSignal('');
  const field = useRef<HTMLInputElement>(null);
  const facts = useQuery(FACTS);
  useEffect(() => {
    if (connection.value === 'open') void readHousehold();
  }, [connection.value]);
  const wanted = query.value.get('section');
  useWantedSection(wanted);
  const sections = SECTIONS.filter(({ key }) => isShown(key, search.value));
  return (
    <div>
      <header class="screen-head">
        <h1 class="screen-title">{TEXTS.settings}</h1>
        <SearchField
          label={TEXTS.find}
          kind="settings-search push-end"
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
          <span class="bold truncate">{TEXTS.tuners}</span>
          <span class="flex gap-40 note bold">{TEXTS.tunersNote}</span>
        </span>
        <Icon name="next" class="faint" />
      </a>
      <a class="row settings-tuners below-75 bordered surface" href="setup">
        <Icon name="info" />
        <span class="row-text">
          <span class="bold truncate">{TEXTS.setup}</span>
          <span class="flex gap-40 note bold">{TEXTS.setupNote}</span>
        </span>
        <Icon name="next" class="faint" />
      </a>
      <div class="settings-columns align-start stack">
        <nav
          class="settings-nav stack gap-25 sticky hscroll"
          aria-label={TEXTS.kinds}
          data-nav-group="settings-nav"
          data-nav-side=""
        >
          {sections.map(({ key, title }) => (
            <button
              key={key}
              type="button"
              class="settings-link bold muted text-left round-m hover-deep pad-3"
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
        <div class="settings-sections stack gap-blocks">
          {sections.map((section) => (
            <Section key={section.key} section={section} search={search.value} facts={facts.value} />
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
