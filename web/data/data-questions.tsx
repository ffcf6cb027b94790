/** Sheets of our own for what a document wants from the viewer; each names the station that asks. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { InputRequest } from '../bml/bml-messages.ts';
import { Sheet } from '../ui/sheet.tsx';
import { narrow } from '../words/channel.ts';
import { airDateText, spanText } from '../words/time.ts';
import { splitTitle } from '../words/title.ts';
import type { DataBroadcast } from './data-broadcast.ts';
import type { PageRequests, Question } from './page-requests.ts';
import { TEXTS } from './texts.ts';

function QuestionSheet({ question, station }: { question: Question; station: string }) {
  const refuse = useRef<HTMLButtonElement>(null);
  // The page chose the moment: a key that was meant for it must not accept.
  useEffect(() => refuse.current?.focus({ preventScroll: true }), []);
  const { program, kind } = question;
  const isReserving = kind === 'reserve';
  return (
    <Sheet
      title={isReserving ? TEXTS.reserveTitle : TEXTS.cancelTitle}
      onClose={() => question.answer(false)}
    >
      <div class="gap-100 stack">
        <p>{isReserving ? TEXTS.reserveNote(station) : TEXTS.cancelNote(station)}</p>
        <div class="stack gap-25 round-m ground pad-3">
          <b>{splitTitle(program.name).title}</b>
          <span class="numbers note">
            {`${airDateText(program.start_at)} ${spanText(program.start_at, program.end_at)}　${narrow(program.service_name)}`}
          </span>
        </div>
        <div class="flex wrap gap-75">
          <button
            ref={refuse}
            type="button"
            class="button"
            data-nav-initial=""
            onClick={() => question.answer(false)}
          >
            {TEXTS.refuse}
          </button>
          <button
            type="button"
            class={isReserving ? 'button button-main' : 'button button-danger'}
            onClick={() => question.answer(true)}
          >
            {isReserving ? TEXTS.reserve : TEXTS.cancelReservation}
          </button>
        </div>
      </div>
    </Sheet>
  );
}

function RegionSheet({ data, station }: { data: DataBroadcast; station: string }) {
  const refuse = useRef<HTMLButtonElement>(null);
  // As above: the application chose the moment.
  useEffect(() => refuse.current?.focus({ preventScroll: true }), []);
  const question = data.application.question.value;
  if (question === undefined) return null;
  const { application, answer } = question;
  return (
    <Sheet title={TEXTS.regionTitle} onClose={() => answer(false)}>
      <div class="gap-100 stack">
        <p>{TEXTS.regionNote(station, application.name ?? TEXTS.application)}</p>
        <p>{TEXTS.regionOnce}</p>
        <div class="flex wrap gap-75">
          <button ref={refuse} type="button" class="button" data-nav-initial="" onClick={() => answer(false)}>
            {TEXTS.regionRefuse}
          </button>
          <button type="button" class="button button-main" onClick={() => answer(true)}>
            {TEXTS.regionGive}
          </button>
        </div>
      </div>
    </Sheet>
  );
}

interface InputProps {
  readonly input: InputRequest;
  readonly station: string;
  readonly onDone: (text: string | undefined) => void;
}

function InputSheet({ input, station, onDone }: InputProps) {
  const text = useSignal(input.value);
  const { maxLength, isPassword, characterType } = input;
  const field = {
    class: 'rule-input data-input',
    autocomplete: 'off',
    inputMode: characterType === 'number' ? 'numeric' : undefined,
    'data-nav-first': '',
    'aria-label': TEXTS.inputLabel(maxLength),
    maxLength,
    value: text.value,
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }): void => {
      text.value = currentTarget.value;
    },
  } as const;
  return (
    <Sheet title={TEXTS.inputTitle} onClose={() => onDone(undefined)}>
      <form
        class="gap-100 stack"
        onSubmit={(event) => {
          event.preventDefault();
          onDone(text.value);
        }}
      >
        <p>
          {TEXTS.inputNote(station)}
          {isPassword ? TEXTS.passwordNote : null}
          {TEXTS.characters[characterType]}
        </p>
        {isPassword ? <input type="password" {...field} /> : <input type="text" {...field} />}
        <div class="flex wrap gap-75">
          <button type="button" class="button" onClick={() => onDone(undefined)}>
            {TEXTS.cancelInput}
          </button>
          <button type="submit" class="button button-main">
            {TEXTS.inputDone}
          </button>
        </div>
      </form>
    </Sheet>
  );
}

interface QuestionsProps {
  readonly data: DataBroadcast;
  readonly requests: PageRequests;
  readonly station: string;
}

export function DataQuestions({ data, requests, station }: QuestionsProps) {
  const question = requests.question.value;
  const input = data.input.value;
  if (question !== undefined) return <QuestionSheet question={question} station={station} />;
  if (data.application.question.value !== undefined) return <RegionSheet data={data} station={station} />;
  if (input === undefined) return null;
  return <InputSheet input={input} station={station} onDone={(text) => data.enterText(text)} />;
}
