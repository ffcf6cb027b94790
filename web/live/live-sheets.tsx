/** The dialogs of the live screen: audio, video format, channels, help. */
import type { StationId } from '../../arib/ids.ts';
import type { LiveCodec, Station } from '../../wire/api.ts';
import { CaptionFields, LanguageField } from '../caption/caption-fields.tsx';
import { liveCodec, liveQuality } from '../device/preferences.ts';
import { canPlayAv1 } from '../player/capabilities.ts';
import { canPlayRaw } from '../raw/raw-picture.ts';
import { type Choice, Choices, Sheet } from '../ui/sheet.tsx';
import { AUTO_QUALITY, QUALITY_WORDS } from '../words/quality.ts';
import { ChannelList } from './channel-list.tsx';
import { PanelTabs } from './live-panel.tsx';
import type { LivePlayer } from './live-player.ts';
import { StreamFacts } from './stream-facts.tsx';
import { TEXTS } from './texts.ts';

const LEVELS = ['high', 'middle', 'low', 'least'] as const;

export type SheetName = 'audio' | 'quality' | 'captions' | 'channels' | 'facts' | 'help' | 'info';

interface SheetsProps {
  readonly name: SheetName | undefined;
  readonly station: Station | undefined;
  readonly stationId: StationId;
  readonly player: LivePlayer;
  readonly onClose: () => void;
  readonly onOpen: (name: SheetName) => void;
}

/** The option the encoder uses when none is asked for. */
function defaultAudio(station: Station | undefined): string {
  const audios = station?.now?.audios ?? [];
  return (audios.find((option) => option.main === true) ?? audios[0])?.id ?? '0:both';
}

function AudioSheet({ station, player, onClose }: SheetsProps) {
  const audios = station?.now?.audios ?? [];
  const choices: Choice<string>[] = audios.map((option) => ({ value: option.id, label: option.label }));
  // A programme that follows may lack what was chosen in the one before: then its main audio plays.
  const chosen = audios.some((option) => option.id === player.audio.value) ? player.audio.value : undefined;
  return (
    <Sheet title={TEXTS.sound} onClose={onClose}>
      {choices.length === 0 ? <p class="sheet-note">{TEXTS.noSoundFacts}</p> : null}
      <Choices
        label={TEXTS.sound}
        choices={choices}
        chosen={chosen ?? defaultAudio(station)}
        onChoose={(id) => {
          player.setAudio(id);
          onClose();
        }}
      />
    </Sheet>
  );
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
    ...LEVELS.map((value) => ({ value, ...QUALITY_WORDS[value] })),
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
    { value: 'h264', label: 'H.264', note: TEXTS.h264Note },
    {
      value: 'av1',
      label: 'AV1',
      note: av1 ? TEXTS.av1Note : TEXTS.noAv1,
      disabled: !av1,
    },
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
        {languages.length === 0 ? <p class="sheet-note">{TEXTS.noCaptions}</p> : null}
        <LanguageField languages={languages} onChoose={(language) => player.setLanguage(language)} />
      </CaptionFields>
    </Sheet>
  );
}

function HelpSheet({ onClose }: SheetsProps) {
  return (
    <Sheet title={TEXTS.keys} onClose={onClose}>
      <dl class="keys">
        {TEXTS.keyTable.map(([keys, meaning]) => (
          <div key={meaning} class="keys-row">
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Sheet>
  );
}

export function LiveSheets(props: SheetsProps) {
  switch (props.name) {
    case undefined:
      return null;
    case 'audio':
      return <AudioSheet {...props} />;
    case 'quality':
      return <QualitySheet {...props} />;
    case 'captions':
      return <CaptionsSheet {...props} />;
    case 'facts':
      return <StreamFacts player={props.player} onClose={props.onClose} />;
    case 'help':
      return <HelpSheet {...props} />;
    case 'info':
      return (
        <Sheet title={TEXTS.programInfo} onClose={props.onClose}>
          <div class="panel-sheet">
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
