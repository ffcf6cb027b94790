/** Below the picture on an upright phone: the programme, its settings, and the next episodes. */
import type { Recording } from '../../lib/wire/api.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import { currentMs } from '../device/clock.ts';
import { watchPath } from '../navigation/router.ts';
import { useRecordingDetail } from '../query/recording-detail.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import { Marks } from '../ui/marks.tsx';
import { narrow } from '../words/channel.ts';
import { Texts } from '../words/program-texts.tsx';
import { rateText, recordedPart } from '../words/recording.ts';
import { airDateText, shortText, spanText } from '../words/time.ts';
import { splitTitle } from '../words/title.ts';
import { WholeTitle } from '../words/whole-title.tsx';
import { TEXTS } from './texts.ts';
import { LiveButton } from './watch-controls.tsx';
import type { WatchPlayer } from './watch-player.ts';
import type { WatchSheetName } from './watch-sheets.tsx';
import { recordedSpan } from './watch-source.ts';

interface BelowProps {
  readonly recording: Recording | undefined;
  readonly player: WatchPlayer | undefined;
  readonly series: readonly Recording[];
  /** Undefined: there are no chapters. */
  readonly onChapter: ((by: 1 | -1) => void) | undefined;
  readonly onSheet: (name: WatchSheetName) => void;
  readonly onScreenshot: () => void;
  /** Undefined: the recording has no data broadcast. */
  readonly onData: (() => void) | undefined;
}

function Chip({ icon, text, onClick }: { icon: IconName; text: string; onClick: () => void }) {
  return (
    <button type="button" class="chip rigid nowrap button button-small" onClick={onClick}>
      <Icon name={icon} />
      {text}
    </button>
  );
}

function Episodes({ series, id }: { series: readonly Recording[]; id: RecordingId }) {
  if (series.length < 2) return null;
  return (
    <section aria-label={TEXTS.series}>
      <h3>{TEXTS.series}</h3>
      <div class="rows">
        {series.map((one) => (
          <a
            key={one.id}
            class="row"
            href={watchPath(one)}
            data-replace=""
            aria-current={one.id === id ? 'page' : undefined}
          >
            <Icon name={one.id === id ? 'sound' : 'play'} />
            <span class="row-text">
              <WholeTitle title={splitTitle(one.name).title} />
              <small class="numbers block-level muted">{shortText(one.startAt, currentMs())}</small>
            </span>
          </a>
        ))}
      </div>
    </section>
  );
}

export function WatchBelow(props: BelowProps) {
  const { recording, player, series, onChapter, onSheet, onScreenshot, onData } = props;
  const detail = useRecordingDetail(recording);
  if (recording === undefined) return <section class="below" aria-label={TEXTS.program} />;
  const { title, marks } = splitTitle(recording.name);
  const part = recordedPart(recording);
  const audios = player?.source?.audios.length ?? 0;
  return (
    <section class="below" aria-label={TEXTS.program}>
      <div class="stack gap-40">
        <p class="below-station hstack text-s bold text-accent gap-50">{narrow(recording.serviceName)}</p>
        <h2 class="text-xl">
          <WholeTitle title={title} />
        </h2>
        <p class="numbers cluster note semibold gap-text">
          {airDateText(recording.startAt, currentMs())}
          <span>{spanText(...recordedSpan(recording))}</span>
          {part === undefined ? null : <span class="text-warn">{part}</span>}
          <Marks marks={marks} />
        </p>
      </div>
      {player === undefined ? null : (
        <div class="below-tools align-center flex hscroll gap-50 strip">
          <LiveButton player={player} />
          {onChapter === undefined ? null : (
            <>
              <Chip icon="chapterBack" text={TEXTS.previousChapter} onClick={() => onChapter(-1)} />
              <Chip icon="chapterNext" text={TEXTS.nextChapter} onClick={() => onChapter(1)} />
            </>
          )}
          <Chip icon="captions" text={TEXTS.captions} onClick={() => onSheet('captions')} />
          <Chip icon="speed" text={rateText(player.rate.value)} onClick={() => onSheet('rate')} />
          {audios > 1 ? <Chip icon="speech" text={TEXTS.sound} onClick={() => onSheet('audio')} /> : null}
          {onData === undefined ? null : <Chip icon="data" text={TEXTS.data} onClick={onData} />}
          <Chip icon="quality" text={TEXTS.quality} onClick={() => onSheet('quality')} />
          <Chip icon="camera" text={TEXTS.screenshot} onClick={onScreenshot} />
        </div>
      )}
      {detail.value === undefined ? null : <Texts {...detail.value} />}
      <Episodes series={series} id={recording.id} />
    </section>
  );
}
