/**
 * The survey worker: reads tunings for what is no programme, away from the main thread: which stations a channel
 * has, and their logos. Speaks `guide/survey-messages.ts`.
 */
import { runSurvey } from './reception/survey.ts';
import type { FromSurveyWorker, ToSurveyWorker } from './reception/survey-messages.ts';

declare const self: Worker;

const running = new Map<number, AbortController>();

function post(message: FromSurveyWorker): void {
  self.postMessage(message);
}

self.onmessage = (event: MessageEvent<ToSurveyWorker>): void => {
  const message = event.data;
  if (message.kind === 'cancel') {
    running.get(message.survey)?.abort();
    return;
  }
  const { survey } = message;
  const cancel = new AbortController();
  running.set(survey, cancel);
  void runSurvey(message, (logos) => post({ kind: 'logos', survey, logos }), cancel.signal).then((end) => {
    running.delete(survey);
    post({ kind: 'done', survey, ...end });
  });
};
