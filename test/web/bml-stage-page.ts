/** The page of `bml-stage.ts`: sessions of data broadcasts, and what they report. Bundled for the browser. */
import { BmlSession, type BmlSessionOptions } from '../../web/bml/session.ts';

/** What happened since the session began: name of the handler and its arguments. */
export type StageEvent = readonly [name: string, ...details: unknown[]];

interface Stage {
  readonly events: StageEvent[];
  /** Replaces the session before. */
  open(options?: Partial<Pick<BmlSessionOptions, 'receiver' | 'isDataKeyPressed' | 'abilities'>>): void;
  data(messages: readonly { readonly type: string }[]): void;
  press(code: number): void;
  enterText(text: string | undefined): void;
  close(): void;
}

declare global {
  var bmlStage: Stage;
}

const events: StageEvent[] = [];
const note =
  (name: string) =>
  (...details: unknown[]): void => {
    events.push([name, ...details]);
  };
let session: BmlSession | undefined;

globalThis.bmlStage = {
  events,
  open: ({
    receiver = { postalCode: '1500001', prefecture: 14 },
    isDataKeyPressed = false,
    abilities = { network: false, applications: false },
  } = {}) => {
    session?.close();
    events.length = 0;
    const canvas = document.createElement('canvas');
    document.querySelector('canvas')?.replaceWith(canvas);
    session = new BmlSession({
      canvas,
      receiver,
      isDataKeyPressed,
      isRecording: false,
      media: { captionLanguages: [], captionShown: undefined, audioComponent: 0x10, audioChannel: undefined },
      abilities,
      volume: 0.5,
      handlers: {
        onPhase: note('phase'),
        onDocument: note('document'),
        onPlane: note('plane'),
        onVideo: note('video'),
        onUsedKeys: note('usedKeys'),
        onProgress: note('progress'),
        onInput: note('input'),
        onCommunication: note('communication'),
        onLaunchFailed: note('launchFailed'),
        onPostalCode: note('postalCode'),
        onLog: note('log'),
        onRequest: async (request) => {
          note('request')(request);
          return 1;
        },
      },
    });
  },
  data: (messages) => {
    for (const message of messages) session?.data(message);
  },
  press: (code) => session?.press(code),
  enterText: (text) => session?.enterText(text),
  close: () => session?.close(),
};
