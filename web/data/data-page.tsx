/**
 * A data broadcast on the screen: the document's canvas over the station's picture, and around it a frame of our own, which
 * no document can cover, with the station's name and the way out.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Station } from '../../lib/wire/api.ts';
import { Icon } from '../ui/icon.tsx';
import { Logo } from '../ui/logo.tsx';
import { narrow } from '../words/channel.ts';
import type { DataApplication } from './application.ts';
import type { DataBroadcast, DataEnd } from './data-broadcast.ts';
import { carouselProgress } from './data-view.ts';
import { type EndWords, TEXTS } from './texts.ts';

/** The worker draws on it; a run has a canvas of its own. */
function Canvas({ data, name, isShown }: { data: DataBroadcast; name: string; isShown: boolean }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    if (canvas.current !== null) data.attach(canvas.current);
  }, []);
  return (
    <canvas
      class="data-plane invisible absolute no-pointer"
      ref={canvas}
      role="img"
      aria-label={TEXTS.page(name)}
      data-shown={isShown ? '' : undefined}
    />
  );
}

function Loading({ data }: { data: DataBroadcast }) {
  const { received, modules, part } = carouselProgress(data.progress.value);
  if (modules === 0) return <span>{TEXTS.connecting}</span>;
  const percent = Math.floor(part * 100);
  return <span>{received === modules ? TEXTS.starting : TEXTS.loading(percent, received, modules)}</span>;
}

interface PageProps {
  readonly data: DataBroadcast;
  readonly station: Pick<Station, 'id' | 'name' | 'logo'> | undefined;
  readonly isRemoteShown: boolean;
  readonly onRemote: () => void;
}

interface BarProps extends PageProps {
  readonly name: string;
  /** What it is. */
  readonly label: string;
  readonly leaveLabel: string;
  /** How far it is; undefined: it is there, and `hint` says how to leave. */
  readonly progress: { readonly part: number; readonly text: ComponentChildren } | undefined;
  readonly hint: string;
  readonly isCommunicating: boolean;
}

function DataBar(props: BarProps) {
  const { data, name, station, isRemoteShown, onRemote, progress } = props;
  const label = isRemoteShown ? TEXTS.hideRemote : TEXTS.showRemote;
  return (
    <div class="data-bar" data-nav-group="data-bar">
      {station === undefined ? null : <Logo station={station} />}
      <p class="data-name flex align-baseline min-0 nowrap gap-50">
        <b class="clip">{name}</b>
        <span class="clip muted">{props.label}</span>
      </p>
      {props.isCommunicating ? (
        <span class="data-sign inline-row rigid gap-25" title={TEXTS.communicating}>
          <Icon name="transfer" />
          {TEXTS.communicating}
        </span>
      ) : null}
      <p class="muted numbers hstack justify-end grow min-0 gap-50 clip nowrap" role="status">
        {progress === undefined ? (
          <span class="data-hint">{props.hint}</span>
        ) : (
          <>
            <span class="spinner circle rigid" />
            {progress.text}
          </>
        )}
      </p>
      <button
        type="button"
        class="button button-small data-remote-button rigid"
        aria-pressed={isRemoteShown}
        aria-label={label}
        title={label}
        onClick={onRemote}
      >
        <Icon name="remote" />
      </button>
      <button
        type="button"
        class="button button-small rigid"
        aria-label={props.leaveLabel}
        onClick={() => data.leave()}
      >
        <Icon name="close" />
        {TEXTS.leave}
      </button>
      {progress === undefined ? null : (
        <i
          class="data-line at-right at-left at-bottom absolute bar-part"
          style={{ '--part': progress.part.toFixed(4) }}
        />
      )}
    </div>
  );
}

function Ended({ words, onAgain, onClose }: { words: EndWords; onAgain: () => void; onClose: () => void }) {
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => first.current?.focus({ preventScroll: true }), []);
  return (
    <div class="stage-note stage-note-wide" role="alert" data-nav-group="data-ended">
      <h2 class="text-xl text-white">{words.title}</h2>
      <p>{words.next}</p>
      <p class="panel-actions">
        <button ref={first} type="button" class="button button-main" onClick={onAgain}>
          {TEXTS.again}
        </button>
        <button type="button" class="button" onClick={onClose}>
          {TEXTS.close}
        </button>
      </p>
    </div>
  );
}

function PictureAbove() {
  return (
    <p class="data-above not-shown" aria-hidden="true">
      {TEXTS.pictureAbove}
    </p>
  );
}

/** Gets the frames of the application's documents. */
function ApplicationFrames({ application, isShown }: { application: DataApplication; isShown: boolean }) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (element.current !== null) application.attach(element.current);
  }, []);
  return (
    <div
      class="data-plane invisible data-application absolute no-pointer clip"
      ref={element}
      data-shown={isShown ? '' : undefined}
    />
  );
}

/** An application in place of the data broadcast; the frame says whose it is. */
function ApplicationPage(props: PageProps) {
  const { data, station } = props;
  const { application } = data;
  const state = application.state.value;
  const { name, organisation } = application.application.value;
  const isLoading = state.kind === 'loading';
  const stationName = narrow(station?.name ?? '');
  const whose = TEXTS.applicationOf(stationName, organisation);
  return (
    <>
      {state.kind === 'ended' ? null : (
        <>
          {state.kind === 'shown' && application.video.value !== undefined ? <PictureAbove /> : null}
          <ApplicationFrames
            key={application.run.value}
            application={application}
            isShown={state.kind === 'shown'}
          />
        </>
      )}
      <DataBar
        {...props}
        name={name ?? TEXTS.application}
        label={whose}
        leaveLabel={TEXTS.leaveApplication}
        hint={TEXTS.leaveApplicationHint}
        progress={isLoading ? { part: 0, text: <span>{TEXTS.loadingApplication}</span> } : undefined}
        isCommunicating={application.isCommunicating.value}
      />
      {state.kind === 'ended' ? (
        <Ended
          words={TEXTS.applicationFaults[state.reason]}
          onAgain={() => application.open()}
          onClose={() => data.leave()}
        />
      ) : null}
    </>
  );
}

const endWords = (data: DataBroadcast, reason: DataEnd): EndWords =>
  (data.isRecording ? TEXTS.endsOfRecording[reason] : undefined) ?? TEXTS.ends[reason];

/** On the stage of the player, whose `data-page` says what of it is shown. */
export function DataPage(props: PageProps) {
  const { data, station } = props;
  const state = data.state.value;
  if (data.application.isOpen) return <ApplicationPage {...props} />;
  if (state.kind === 'off') return null;
  const name = narrow(station?.name ?? '');
  const isLoading = state.kind === 'loading';
  const { part } = carouselProgress(data.progress.value);
  return (
    <>
      {state.kind === 'ended' ? null : (
        <>
          {state.kind === 'shown' && data.video.value !== undefined ? <PictureAbove /> : null}
          <Canvas key={data.run.value} data={data} name={name} isShown={state.kind === 'shown'} />
        </>
      )}
      {state.kind === 'hidden' ? null : (
        <DataBar
          {...props}
          name={name}
          label={data.server === undefined ? TEXTS.data : TEXTS.communication}
          leaveLabel={TEXTS.leaveLabel}
          hint={data.server ?? TEXTS.leaveHint}
          progress={isLoading ? { part, text: <Loading data={data} /> } : undefined}
          isCommunicating={data.isCommunicating.value}
        />
      )}
      {state.kind === 'ended' ? (
        <Ended
          words={endWords(data, state.reason)}
          onAgain={() => data.open()}
          onClose={() => data.leave()}
        />
      ) : null}
    </>
  );
}
