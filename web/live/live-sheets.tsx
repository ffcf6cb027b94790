/** The dialogs of the live screen: audio, video format, channels, help. */
import type { StationId } from '../../lib/arib/ids.ts';
import type { LiveCodec, Station } from '../../lib/wire/api.ts';
import { LIVE_QUALITIES } from '../../lib/wire/vocabulary.ts';
import { CaptionFields, LanguageField } from '../caption/caption-fields.tsx';
import type { DataBroadcast } from '../data/data-broadcast.ts';
import { liveCodec, liveQuality } from '../device/preferences.ts';
import { canPlayAv1 } from '../player/player.ts';
import { AudioSheet, codecChoice, KeyTable } from '../player/sheets.tsx';
import { canPlayRaw } from '../raw/raw-feed.ts';
import { type Choice, Choices, Sheet } from '../ui/sheet.tsx';
import { AUTO_QUALITY, QUALITY_WORDS } from '../words/quality.ts';
import { ChannelList } from './channel-list.tsx';
import { LiveMenu, type MenuActions, type SheetName } from './live-menu.tsx';
import { PanelTabs } from './live-panel.tsx';
import type { LivePlayer } from './live-player.ts';
import { StreamFacts } from './stream-facts.tsx';
import { TEXTS } from './texts.ts';

interface SheetsProps {
  readonly name: SheetName | undefined;
  readonly station: Station | undefined;
  readonly stationId: StationId;
  readonly player: LivePlayer;
  readonly data: DataBroadcast | undefined;
  readonly actions: MenuActions;
  /** Undefined: the station has no data broadcast. */
  readonly onData: (() => void) | undefined;
  readonly onClose: () => void;
  readonly onOpen: (name: SheetName) => void;
}

function QualityChoices({ player, onClose }: Pick<SheetsProps, 'player' | 'onClose'>) {
  const now = QUALITY_WORDS[player.quality.wanted].name;
  const isAuto = liveQuality.value === 'auto';
  const auto = {
    ...AUTO_QUALITY,
    name: isAuto ? TEXTS.qualityNow(AUTO_QUALITY.name, now) : AUTO_QUALITY.name,
  };
  const rows = [
    { value: 'auto' as const, ...auto },
    ...LIVE_QUALITIES.map((value) => ({ value, ...QUALITY_WORDS[value] })),
  ];
  return (
    <section class="sheet-section">
      <h3>{TEXTS.qualityHere}</h3>
      <Choices
        label={TEXTS.quality}
        choices={rows.map(({ value, name, note }) => ({ value, label: name, note }))}
        chosen={liveQuality.value}
        onChoose={(quality) => {
          player.setQuality(quality);
          onClose();
        }}
      />
    </section>
  );
}

function QualitySheet({ player, onClose, onOpen }: SheetsProps) {
  const av1 = canPlayAv1();
  const raw = canPlayRaw();
  const choices: Choice<LiveCodec>[] = [
    {
      value: 'raw',
      label: TEXTS.raw,
      note: raw ? TEXTS.rawNote : TEXTS.noRaw,
      disabled: !raw,
    },
    codecChoice('h264'),
    codecChoice('av1'),
  ];
  return (
    <Sheet title={TEXTS.format} onClose={onClose}>
      <Choices
        label={TEXTS.format}
        choices={choices}
        chosen={player.raw.isOn ? 'raw' : av1 ? liveCodec.value : 'h264'}
        onChoose={(codec) => {
          player.setCodec(codec);
          onClose();
        }}
      />
      {player.raw.isOn ? null : <QualityChoices player={player} onClose={onClose} />}
      <div class="panel-actions">
        <button type="button" class="button button-small" onClick={() => onOpen('facts')}>
          {TEXTS.stream}
        </button>
      </div>
    </Sheet>
  );
}

function CaptionsSheet({ player, onClose }: SheetsProps) {
  const languages = player.captions.languages.value;
  return (
    <Sheet title={TEXTS.captions} onClose={onClose}>
      <CaptionFields>
        {languages.length === 0 ? <p class="muted">{TEXTS.noCaptions}</p> : null}
        <LanguageField languages={languages} onChoose={(language) => player.setLanguage(language)} />
      </CaptionFields>
    </Sheet>
  );
}

function HelpSheet({ onClose }: SheetsProps) {
  return (
    <Sheet title={TEXTS.keys} onClose={onClose}>
      <KeyTable rows={TEXTS.keyTable} />
    </Sheet>
  );
}

export function LiveSheets(props: SheetsProps) {
  switch (props.name) {
    case undefined:
      return null;
    case 'menu':
      return <LiveMenu {...props} />;
    case 'audio':
      return (
        <AudioSheet
          audios={props.station?.now?.audios ?? []}
          empty={TEXTS.noSoundFacts}
          player={props.player}
          onClose={props.onClose}
        />
      );
    case 'quality':
      return <QualitySheet {...props} />;
    case 'captions':
      return <CaptionsSheet {...props} />;
    case 'facts':
      return <StreamFacts player={props.player} data={props.data} onClose={props.onClose} />;
    case 'help':
      return <HelpSheet {...props} />;
    case 'info':
      return (
        <Sheet title={TEXTS.programInfo} onClose={props.onClose}>
          <div class="stack gap-100">
            <PanelTabs station={props.station} stationId={props.stationId} />
          </div>
        </Sheet>
      );
    case 'channels':
      return (
        <Sheet title={TEXTS.channels} onClose={props.onClose}>
          <ChannelList stationId={props.stationId} onPick={props.onClose} />
        </Sheet>
      );
  }
}
