/** The dialogs of watching a recording: speed, sound, settings, help. */
import { useSignal } from '@preact/signals';
import type { Recording } from '../../wire/api.ts';
import { captionLanguage, captionSettings } from '../caption/caption-choice.ts';
import { CaptionFields, LanguageField } from '../caption/caption-fields.tsx';
import {
  type CommercialSkipping,
  commercialSkipping,
  liveCodec,
  playsNext,
  SKIPS,
  skipBack,
  skipForward,
} from '../device/preferences.ts';
import { canPlayAv1 } from '../player/capabilities.ts';
import type { PlayCodec } from '../query/recordings.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import { Segments } from '../ui/segments.tsx';
import { type Choice, Choices, Sheet } from '../ui/sheet.tsx';
import { rateText } from '../words/recording.ts';
import type { Chapter } from './bar-marks.ts';
import type { CaptionTrack } from './caption-track.ts';
import type { ChapterDraft } from './chapter-draft.ts';
import { ChapterSheet } from './chapter-sheet.tsx';
import { breaksOf } from './skip-rules.ts';
import { RATES, type WatchPlayer } from './watch-player.ts';
import { codecFor } from './watch-source.ts';

export type WatchSheetName = 'rate' | 'audio' | 'quality' | 'captions' | 'settings' | 'chapters' | 'help';

interface SheetsProps {
  readonly name: WatchSheetName | undefined;
  readonly player: WatchPlayer;
  readonly recording: Recording | undefined;
  readonly chapters: readonly Chapter[];
  /** The file that plays has its commercials cut out. */
  readonly isCut: boolean;
  readonly captions: CaptionTrack | undefined;
  readonly onOpen: (name: WatchSheetName) => void;
  readonly onScreenshot: () => void;
  readonly onClose: () => void;
}

function RateSheet({ player, onClose }: SheetsProps) {
  return (
    <Sheet title="再生速度" onClose={onClose}>
      <Choices
        label="再生速度"
        choices={RATES.map((rate) => ({
          value: String(rate),
          label: rateText(rate),
          note: rate === 1 ? '標準' : undefined,
        }))}
        chosen={String(player.rate.value)}
        onChoose={(rate) => {
          player.setRate(Number(rate));
          onClose();
        }}
      />
    </Sheet>
  );
}

function CaptionState({ track }: { track: CaptionTrack | undefined }) {
  const state = track?.state.value;
  if (state?.kind === 'none') return <p class="sheet-note">この録画に字幕はありません。</p>;
  if (state?.kind === 'reading') return <p class="sheet-note">字幕を読み込んでいます…</p>;
  if (state?.kind === 'failed') {
    return <p class="sheet-note">字幕を読み込めませんでした。{state.failure.message}</p>;
  }
  if (state === undefined) return null;
  return (
    <LanguageField
      languages={state.languages}
      onChoose={(language) => {
        captionLanguage.value = language;
      }}
    />
  );
}

function chosenAudio(player: WatchPlayer): string {
  const audios = player.source?.audios ?? [];
  const known = audios.find(({ id }) => id === player.audio.value);
  return (known ?? audios.find(({ main }) => main === true) ?? audios[0])?.id ?? '';
}

function AudioSheet({ player, onClose }: SheetsProps) {
  const choices = (player.source?.audios ?? []).map(({ id, label }) => ({ value: id, label }));
  return (
    <Sheet title="音声" onClose={onClose}>
      {choices.length === 0 ? <p class="sheet-note">音声の情報がありません。</p> : null}
      <Choices
        label="音声"
        choices={choices}
        chosen={chosenAudio(player)}
        onChoose={(id) => {
          player.setAudio(id);
          onClose();
        }}
      />
    </Sheet>
  );
}

const QUALITIES: Readonly<Record<PlayCodec, { label: string; note: string }>> = {
  h264: { label: 'H.264', note: '標準。どの端末でも軽く再生できます' },
  av1: { label: 'AV1', note: '少ない通信量で高画質。新しい端末向け' },
};

function QualitySheet({ player, onClose }: SheetsProps) {
  const av1 = canPlayAv1();
  const choices: Choice<PlayCodec>[] = (player.source?.codecs ?? []).map((codec) => ({
    value: codec,
    label: QUALITIES[codec].label,
    note: codec === 'av1' && !av1 ? 'このブラウザーは AV1 を再生できません' : QUALITIES[codec].note,
    disabled: codec === 'av1' && !av1,
  }));
  const chosen = codecFor({ codecs: choices.map(({ value }) => value) }, liveCodec.value, av1);
  return (
    <Sheet title="画質" onClose={onClose}>
      <Choices
        label="画質"
        choices={choices}
        chosen={chosen ?? 'h264'}
        onChoose={(codec) => {
          player.setCodec(codec);
          onClose();
        }}
      />
    </Sheet>
  );
}

interface EntryProps {
  readonly icon: IconName;
  readonly text: string;
  readonly value: string;
  /** Has the focus when the sheet opens. */
  readonly first?: boolean;
  readonly onClick: () => void;
}

function Entry({ icon, text, value, first = false, onClick }: EntryProps) {
  return (
    <button type="button" class="row row-button" data-nav-first={first ? '' : undefined} onClick={onClick}>
      <Icon name={icon} />
      <span class="row-text">{text}</span>
      <span class="row-value numbers">{value}</span>
      <Icon name="next" class="row-go" />
    </button>
  );
}

const skips = SKIPS.map((seconds) => ({ value: String(seconds), label: `${seconds}秒` }));

const SKIPPINGS: readonly { value: CommercialSkipping; label: string }[] = [
  { value: 'reliable', label: '確実なときだけ' },
  { value: 'always', label: 'いつも' },
  { value: 'never', label: 'しない' },
];

/** Consequence of the choice for this recording; undefined: none worth mentioning. */
function skippingNote(recording: Recording | undefined, chapters: readonly Chapter[]): string | undefined {
  if (recording === undefined || commercialSkipping.value === 'never') return undefined;
  if (recording.recording) return '録画中の番組では、CMをスキップできません。';
  if (breaksOf(chapters).length === 0) return 'この録画では、CMの位置がわかっていません。';
  if (commercialSkipping.value === 'always' || recording.cmReliable) return undefined;
  return 'この録画のCMの位置は確実ではないため、スキップしません。';
}

/** Commercials can be edited for a finished recording whose original exists uncut. */
function isCorrectable({ recording, isCut }: Pick<SheetsProps, 'recording' | 'isCut'>): boolean {
  if (recording === undefined || recording.recording || isCut) return false;
  return recording.files.some(({ source }) => source === 'ts');
}

function CommercialSection({ recording, chapters }: Pick<SheetsProps, 'recording' | 'chapters'>) {
  const note = skippingNote(recording, chapters);
  return (
    <section class="sheet-section">
      <h3>自動でCMをスキップ</h3>
      <Segments
        label="自動でCMをスキップ"
        options={SKIPPINGS}
        value={commercialSkipping.value}
        onChoose={(value) => {
          commercialSkipping.value = SKIPPINGS.find((one) => one.value === value)?.value ?? 'reliable';
        }}
      />
      {note === undefined ? null : <p class="sheet-note">{note}</p>}
    </section>
  );
}

function SettingsSheet(props: SheetsProps) {
  const { player, recording, chapters, onOpen, onScreenshot, onClose } = props;
  const audios = player.source?.audios ?? [];
  const audio = audios.find(({ id }) => id === chosenAudio(player));
  const { codec } = player;
  return (
    <Sheet title="再生の設定" onClose={onClose}>
      <div class="rows">
        <Entry
          first
          icon="captions"
          text="字幕"
          value={captionSettings.value.visible ? '表示' : '非表示'}
          onClick={() => onOpen('captions')}
        />
        <Entry
          icon="speed"
          text="再生速度"
          value={rateText(player.rate.value)}
          onClick={() => onOpen('rate')}
        />
        <Entry icon="speech" text="音声" value={audio?.label ?? ''} onClick={() => onOpen('audio')} />
        <Entry
          icon="quality"
          text="画質"
          value={codec.value === undefined ? '' : QUALITIES[codec.value].label}
          onClick={() => onOpen('quality')}
        />
        {isCorrectable(props) ? (
          <Entry
            icon="edit"
            text="CMの位置を直す"
            value={`${breaksOf(chapters).length}か所`}
            onClick={() => onOpen('chapters')}
          />
        ) : null}
        <Entry icon="camera" text="画面を保存" value="" onClick={onScreenshot} />
        <Entry icon="help" text="操作の説明" value="" onClick={() => onOpen('help')} />
      </div>
      <CommercialSection recording={recording} chapters={chapters} />
      <section class="sheet-section">
        <h3>戻る秒数</h3>
        <Segments
          label="戻る秒数"
          options={skips}
          value={String(skipBack.value)}
          onChoose={(seconds) => {
            skipBack.value = Number(seconds);
          }}
        />
      </section>
      <section class="sheet-section">
        <h3>進む秒数</h3>
        <Segments
          label="進む秒数"
          options={skips}
          value={String(skipForward.value)}
          onChoose={(seconds) => {
            skipForward.value = Number(seconds);
          }}
        />
      </section>
      <section class="sheet-section">
        <h3>次の回の自動再生</h3>
        <Segments
          label="次の回の自動再生"
          options={[
            { value: 'on', label: 'する' },
            { value: 'off', label: 'しない' },
          ]}
          value={playsNext.value ? 'on' : 'off'}
          onChoose={(value) => {
            playsNext.value = value === 'on';
          }}
        />
      </section>
    </Sheet>
  );
}

const HELP: readonly (readonly [readonly string[], string])[] = [
  [['←', '→'], '戻る・進む（操作パネルが隠れているとき）'],
  [['Shift', '←', '→'], '1分戻る・進む'],
  [['J', 'L'], '戻る・進む'],
  [['↑', '↓'], '音量を変える（操作パネルが隠れているとき）'],
  [['Enter'], '操作パネルを出す。出ている間は矢印で選んで決定'],
  [['Space', 'K'], '一時停止・再生'],
  [[',', '.'], 'コマ戻し・コマ送り（一時停止します）'],
  [['<', '>'], '再生速度を下げる・上げる'],
  [['0', '…', '9'], '全体の0〜90％の位置へ'],
  [['Home'], '最初から見る'],
  [['End'], '最後へ（追いかけ再生ではライブへ）'],
  [['[', ']', '黄', '青'], '前・次のチャプター'],
  [['Z', '赤'], 'スキップしたCMに戻る'],
  [['C', '緑'], '字幕の表示・非表示'],
  [['A'], '音声を選ぶ'],
  [['S'], '画面を字幕つきで保存'],
  [['N'], '次の回'],
  [['P'], '小窓で見る'],
  [['M'], 'ミュート'],
  [['F'], '全画面（ダブルクリックでも）'],
  [['I'], '番組の情報'],
  [['Esc', 'Backspace'], '戻る'],
  [['?'], 'この説明'],
];

const FINGERS: readonly (readonly [string, string])[] = [
  ['左右をダブルタップ', '戻る・進む。続けてたたくと、その分だけ動きます'],
  ['左右になぞる', '再生位置を動かす'],
  ['タップ', '操作パネルを出す・しまう'],
];

function HelpSheet({ onClose }: SheetsProps) {
  return (
    <Sheet title="操作の説明" onClose={onClose}>
      <section class="sheet-section">
        <h3>キーとリモコン</h3>
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
      </section>
      <section class="sheet-section">
        <h3>タッチ</h3>
        <dl class="keys">
          {FINGERS.map(([how, meaning]) => (
            <div key={how} class="keys-row">
              <dt>{how}</dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
      </section>
    </Sheet>
  );
}

export function WatchSheets(props: SheetsProps) {
  const draft = useSignal<ChapterDraft | undefined>(undefined);
  switch (props.name) {
    case undefined:
      return null;
    case 'rate':
      return <RateSheet {...props} />;
    case 'audio':
      return <AudioSheet {...props} />;
    case 'quality':
      return <QualitySheet {...props} />;
    case 'settings':
      return <SettingsSheet {...props} />;
    case 'chapters':
      return props.recording === undefined ? null : (
        <ChapterSheet
          player={props.player}
          recordingId={props.recording.id}
          chapters={props.chapters}
          draft={draft}
          onOpen={() => props.onOpen('chapters')}
          onClose={props.onClose}
        />
      );
    case 'help':
      return <HelpSheet {...props} />;
    case 'captions':
      return (
        <Sheet title="字幕" onClose={props.onClose}>
          <CaptionFields>
            <CaptionState track={props.captions} />
          </CaptionFields>
        </Sheet>
      );
  }
}
