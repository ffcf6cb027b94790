/** The dialogs of watching a recording: speed, sound, settings, help. */
import { useSignal } from '@preact/signals';
import type { Recording } from '../../lib/wire/api.ts';
import { captionLanguage, captionSettings } from '../caption/caption-choice.ts';
import { CaptionFields, LanguageField } from '../caption/caption-fields.tsx';
import {
  type CommercialSkipping,
  commercialSkipping,
  playsNext,
  SKIPS,
  skipBack,
  skipForward,
} from '../device/preferences.ts';
import { AudioSheet, chosenAudio, codecChoice, Entry, KeyTable } from '../player/sheets.tsx';
import type { PlayCodec } from '../query/recordings.ts';
import { Segments } from '../ui/segments.tsx';
import { type Choice, Choices, Sheet } from '../ui/sheet.tsx';
import { rateText } from '../words/recording.ts';
import type { Chapter } from './bar-marks.ts';
import type { CaptionTrack } from './caption-track.ts';
import type { ChapterDraft } from './chapter-draft.ts';
import { ChapterSheet } from './chapter-sheet.tsx';
import { TEXTS } from './sheet-words.ts';
import { breaksOf } from './skip-rules.ts';
import { RATES, type WatchPlayer } from './watch-player.ts';

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
    <Sheet title={TEXTS.rate} onClose={onClose}>
      <Choices
        label={TEXTS.rate}
        choices={RATES.map((rate) => ({
          value: String(rate),
          label: rateText(rate),
          note: rate === 1 ? TEXTS.usual : undefined,
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
  if (state?.kind === 'none') return <p class="muted">{TEXTS.noCaptions}</p>;
  if (state?.kind === 'reading') return <p class="muted">{TEXTS.captionsLoading}</p>;
  if (state?.kind === 'failed') {
    return <p class="muted">{TEXTS.captionsFailed(state.failure.message)}</p>;
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

function QualitySheet({ player, onClose }: SheetsProps) {
  const { codecs = [], own } = player.source ?? {};
  const choices: Choice<PlayCodec>[] = codecs.map((codec) => {
    const choice = codecChoice(codec);
    return codec === own ? { ...choice, note: TEXTS.ownNote } : choice;
  });
  return (
    <Sheet title={TEXTS.quality} onClose={onClose}>
      <Choices
        label={TEXTS.quality}
        choices={choices}
        chosen={player.codec.value ?? 'h264'}
        onChoose={(codec) => {
          player.setCodec(codec);
          onClose();
        }}
      />
    </Sheet>
  );
}

const skips = SKIPS.map((seconds) => ({ value: String(seconds), label: TEXTS.seconds(seconds) }));

const SKIPPINGS: readonly { value: CommercialSkipping; label: string }[] = [
  { value: 'reliable', label: TEXTS.skipReliable },
  { value: 'always', label: TEXTS.skipAlways },
  { value: 'never', label: TEXTS.never },
];

/** Consequence of the choice for this recording; undefined: none worth mentioning. */
function skippingNote(recording: Recording | undefined, chapters: readonly Chapter[]): string | undefined {
  if (recording === undefined || commercialSkipping.value === 'never') return undefined;
  if (recording.recording) return TEXTS.noSkipWhileRecording;
  if (breaksOf(chapters).length === 0) return TEXTS.noCommercialsKnown;
  if (commercialSkipping.value === 'always' || recording.cmReliable) return undefined;
  return TEXTS.notReliable;
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
      <h3>{TEXTS.skipCommercials}</h3>
      <Segments
        label={TEXTS.skipCommercials}
        options={SKIPPINGS}
        value={commercialSkipping.value}
        onChoose={(value) => {
          commercialSkipping.value = SKIPPINGS.find((one) => one.value === value)?.value ?? 'reliable';
        }}
      />
      {note === undefined ? null : <p class="muted">{note}</p>}
    </section>
  );
}

function SettingsSheet(props: SheetsProps) {
  const { player, recording, chapters, onOpen, onScreenshot, onClose } = props;
  const audios = player.source?.audios ?? [];
  const audio = chosenAudio({ audios, player });
  const { codec } = player;
  return (
    <Sheet title={TEXTS.playback} onClose={onClose}>
      <div class="rows">
        <Entry
          first
          leads
          icon="captions"
          text={TEXTS.captions}
          value={captionSettings.value.visible ? TEXTS.shown : TEXTS.hidden}
          onClick={() => onOpen('captions')}
        />
        <Entry
          leads
          icon="speed"
          text={TEXTS.rate}
          value={rateText(player.rate.value)}
          onClick={() => onOpen('rate')}
        />
        <Entry
          leads
          icon="speech"
          text={TEXTS.sound}
          value={audio?.label ?? ''}
          onClick={() => onOpen('audio')}
        />
        <Entry
          leads
          icon="quality"
          text={TEXTS.quality}
          value={codec.value === undefined ? '' : codecChoice(codec.value).label}
          onClick={() => onOpen('quality')}
        />
        {isCorrectable(props) ? (
          <Entry
            leads
            icon="edit"
            text={TEXTS.correct}
            value={TEXTS.places(breaksOf(chapters).length)}
            onClick={() => onOpen('chapters')}
          />
        ) : null}
        <Entry icon="camera" text={TEXTS.screenshot} onClick={onScreenshot} />
        <Entry leads icon="help" text={TEXTS.help} onClick={() => onOpen('help')} />
      </div>
      <CommercialSection recording={recording} chapters={chapters} />
      <section class="sheet-section">
        <h3>{TEXTS.backSeconds}</h3>
        <Segments
          label={TEXTS.backSeconds}
          options={skips}
          value={String(skipBack.value)}
          onChoose={(seconds) => {
            skipBack.value = Number(seconds);
          }}
        />
      </section>
      <section class="sheet-section">
        <h3>{TEXTS.forwardSeconds}</h3>
        <Segments
          label={TEXTS.forwardSeconds}
          options={skips}
          value={String(skipForward.value)}
          onChoose={(seconds) => {
            skipForward.value = Number(seconds);
          }}
        />
      </section>
      <section class="sheet-section">
        <h3>{TEXTS.autoNext}</h3>
        <Segments
          label={TEXTS.autoNext}
          options={[
            { value: 'on', label: TEXTS.on },
            { value: 'off', label: TEXTS.never },
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

function HelpSheet({ onClose }: SheetsProps) {
  return (
    <Sheet title={TEXTS.help} onClose={onClose}>
      <section class="sheet-section">
        <h3>{TEXTS.keys}</h3>
        <KeyTable rows={TEXTS.keyTable} />
      </section>
      <section class="sheet-section">
        <h3>{TEXTS.touch}</h3>
        <KeyTable rows={TEXTS.touchTable} />
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
      return (
        <AudioSheet
          audios={props.player.source?.audios ?? []}
          empty={TEXTS.noSoundFacts}
          player={props.player}
          onClose={props.onClose}
        />
      );
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
        <Sheet title={TEXTS.captions} onClose={props.onClose}>
          <CaptionFields>
            <CaptionState track={props.captions} />
          </CaptionFields>
        </Sheet>
      );
  }
}
