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
    <Sheet title="音声" onClose={onClose}>
      {choices.length === 0 ? <p class="sheet-note">この番組の音声の情報はまだありません。</p> : null}
      <Choices
        label="音声"
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
  const auto = { ...AUTO_QUALITY, name: isAuto ? `${AUTO_QUALITY.name}・いまは${now}` : AUTO_QUALITY.name };
  const rows = [
    { value: 'auto' as const, ...auto },
    ...LEVELS.map((value) => ({ value, ...QUALITY_WORDS[value] })),
  ];
  return (
    <section class="sheet-section">
      <h3>画質と通信量（この端末）</h3>
      <Choices
        label="画質と通信量"
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
      label: '放送画質（無変換）',
      note: raw
        ? '放送の映像をそのまま再生します。宅内の有線や速い Wi-Fi と、パソコン並みの性能の端末向け'
        : 'このブラウザーは放送の映像をそのまま再生できません',
      disabled: !raw,
    },
    { value: 'h264', label: 'H.264', note: '標準。どの端末でも軽く再生できます' },
    {
      value: 'av1',
      label: 'AV1',
      note: av1 ? '少ない通信量で高画質。新しい端末向け' : 'このブラウザーは AV1 を再生できません',
      disabled: !av1,
    },
  ];
  return (
    <Sheet title="映像の形式" onClose={onClose}>
      <Choices
        label="映像の形式"
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
          配信の状態
        </button>
      </div>
    </Sheet>
  );
}

function CaptionsSheet({ player, onClose }: SheetsProps) {
  const languages = player.captions.languages.value;
  return (
    <Sheet title="字幕" onClose={onClose}>
      <CaptionFields>
        {languages.length === 0 ? <p class="sheet-note">この番組に字幕はありません。</p> : null}
        <LanguageField languages={languages} onChoose={(language) => player.setLanguage(language)} />
      </CaptionFields>
    </Sheet>
  );
}

const HELP: readonly (readonly [readonly string[], string])[] = [
  [['↑', '↓'], 'チャンネルを変える（操作パネルが隠れているとき）'],
  [['←', '→'], '音量を変える（操作パネルが隠れているとき）'],
  [['Enter'], '操作パネルを出す。出ている間は矢印で選んで決定'],
  [['1', '…', '9', '0', '-', '^'], 'リモコン番号 1〜12 の地デジ局へ'],
  [['.'], 'BS・CS や枝番の 3 桁の番号を入れる（BS・CS を見ているときは数字だけで）'],
  [['PageUp', 'PageDown'], 'チャンネルを変える'],
  [['Space', 'K'], '一時停止・再生'],
  [['J', 'End'], '10 秒戻る・ライブに戻る'],
  [['C', '緑'], '字幕の表示・非表示'],
  [['S'], '画面を保存'],
  [['M'], 'ミュート'],
  [['F'], '全画面（ダブルクリックでも）'],
  [['R', '赤'], '放送中の番組を録画・予約の取り消し'],
  [['A'], '音声を選ぶ'],
  [['L'], 'チャンネル一覧'],
  [['W'], 'マルチ画面（最大4局）'],
  [['I'], '番組情報とチャンネルを出す・しまう'],
  [['D'], '配信の状態（遅れ・通信量・受信）'],
  [['Esc', 'Backspace'], '戻る'],
  [['?'], 'この説明'],
];

function HelpSheet({ onClose }: SheetsProps) {
  return (
    <Sheet title="キーとリモコンの操作" onClose={onClose}>
      <dl class="keys">
        {HELP.map(([keys, meaning]) => (
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
        <Sheet title="番組情報" onClose={props.onClose}>
          <div class="panel-sheet">
            <PanelTabs station={props.station} stationId={props.stationId} />
          </div>
        </Sheet>
      );
    case 'channels':
      return (
        <Sheet title="チャンネル" onClose={props.onClose}>
          <ChannelList stationId={props.stationId} onPick={props.onClose} />
        </Sheet>
      );
  }
}
