/** Messages between the page (`session.ts`) and the engine's worker. Numbers of keys: `engine/keys.ts`. */
import type { ResponseMessage } from '../../lib/wire/data-broadcast.ts';
import type { NvramSnapshot, ReceiverSettings } from './engine/nvram.ts';
import type { BroadcastReference } from './engine/programme.ts';
import type { Pcm } from './sound/sound.ts';

/** What the viewer hears and reads now. */
export interface MediaState {
  /** Languages (1 to 8) of the captions that are broadcast. */
  readonly captionLanguages: readonly number[];
  /** The one that is shown; undefined: none. */
  readonly captionShown: number | undefined;
  /** component_tag of the sound that is heard, and its channel of dual mono (1 to 3). */
  readonly audioComponent: number | undefined;
  readonly audioChannel: number | undefined;
}

/** What the receiver can do beside the broadcast; it depends on settings and on the page. */
export interface Abilities {
  /** Communication is allowed: the station is live, and the viewer has not switched it off. */
  readonly network: boolean;
  /** AIT-controlled applications can be started. */
  readonly applications: boolean;
}

export interface StartMessage {
  readonly kind: 'start';
  readonly canvas: OffscreenCanvas;
  /** Address of the font; undefined: only the fonts of the system. */
  readonly font: string | undefined;
  /** Address of the service's proxies to servers of broadcasters, with a slash at the end. */
  readonly proxies: string;
  readonly nvram: NvramSnapshot;
  readonly globalRegisters: readonly string[];
  readonly receiver: ReceiverSettings;
  readonly media: MediaState;
  readonly abilities: Abilities;
  /** The d key was pressed to open the data broadcast, and is delivered to its document. */
  readonly isDataKeyPressed: boolean;
  /** A recording plays: its documents never communicate. */
  readonly isRecording: boolean;
}

export type SessionMessage =
  | StartMessage
  | { readonly kind: 'data'; readonly message: ResponseMessage }
  /** What follows until `endSnapshot` is a snapshot: all that was received by that time of the recording. */
  | { readonly kind: 'beginSnapshot' }
  | { readonly kind: 'endSnapshot' }
  /** Of a recording: 1 as it was broadcast, 0 while it is paused. */
  | { readonly kind: 'rate'; readonly rate: number }
  | { readonly kind: 'key'; readonly code: number; readonly isDown: boolean }
  | { readonly kind: 'media'; readonly media: MediaState }
  | { readonly kind: 'abilities'; readonly abilities: Abilities }
  | { readonly kind: 'soundEnded'; readonly sound: number }
  | { readonly kind: 'input'; readonly text: string | undefined }
  /** Answered with `pong`: the worker is not busy for ever. */
  | { readonly kind: 'ping' }
  | { readonly kind: 'answer'; readonly id: number; readonly value: number | EventTimes | undefined };

export interface EventTimes {
  /** Epoch ms. */
  readonly startAt: number;
  /** Undefined: open end. */
  readonly durationMs: number | undefined;
}

/** What `startAITControlledApp` starts. Without `aitUrl`: an application of the AIT in the station's stream. */
export interface ApplicationStart {
  /** organisation_id, 32 bits, and application_id, 16 bits: both or none. */
  readonly organisation: number | undefined;
  readonly application: number | undefined;
  /** Address of an AIT in XML, http or https. */
  readonly aitUrl: string | undefined;
}

/** What a document asks the page for. Answered with the number that the function returns (NaN: failed), or times. */
export type PageRequest =
  /** Another station. */
  | { readonly type: 'tune'; readonly service: BroadcastReference }
  /** A reservation to watch or to record, after a question to the viewer. Answer: 1, or NaN. */
  | { readonly type: 'reserve'; readonly event: BroadcastReference; readonly isRecording: boolean }
  | { readonly type: 'cancelReservation'; readonly event: BroadcastReference; readonly isRecording: boolean }
  /** Answer: 1 or 0. */
  | { readonly type: 'isReserved'; readonly event: BroadcastReference; readonly isRecording: boolean }
  | { readonly type: 'eventTimes'; readonly event: BroadcastReference }
  /** Answer: 1, or NaN. */
  | { readonly type: 'captions'; readonly language: number; readonly isShown: boolean }
  /** Another sound of the service. Answer: 1, or NaN. */
  | { readonly type: 'audio'; readonly component: number; readonly channel: number | undefined }
  /** An AIT-controlled application. Answer: 1 if it starts, or NaN. */
  | { readonly type: 'startApplication'; readonly start: ApplicationStart };

export interface VideoRectangle {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Why a request got no answer of its server. */
export type NetworkFault =
  /** Communication is switched off, or the broadcast is not live. */
  | 'off'
  /** The address is none that a document may reach. */
  | 'refused'
  | 'unreachable'
  | 'timeout'
  /** More than 4 MB. */
  | 'size'
  /** Too many requests wait. */
  | 'busy'
  /** The document that made it is gone. */
  | 'ended';

/** Why a document of a server is not shown; the data broadcast starts again instead. */
export type LaunchFault =
  | NetworkFault
  /** The server answered that it has no such document, or failed. */
  | 'missing'
  /** Outside of the directory to which the documents of a server are limited. */
  | 'outside';

/** A text that the viewer enters for a document. */
export interface InputRequest {
  readonly value: string;
  readonly maxLength: number;
  readonly isPassword: boolean;
  /** all, number, alphabet, hankaku, zenkaku, katakana or hiragana. */
  readonly characterType: string;
}

/** How far a document is; `hidden`: it runs and shows nothing, until the viewer presses d. */
export type DocumentPhase = 'loading' | 'shown' | 'hidden' | 'ended';

/** Why a data broadcast ended. */
export type EndReason =
  /** Its scripts took too much time or memory. */
  | 'busy'
  | 'memory'
  /** The station sends none now. */
  | 'noBroadcast'
  /** It sends none of the documents that this engine reads. */
  | 'unsupported'
  /** The engine failed. */
  | 'failed';

export interface ComponentProgress {
  readonly component: number;
  readonly modules: readonly { readonly id: number; readonly octets: number; readonly isReceived: boolean }[];
}

export type EngineMessage =
  | { readonly kind: 'phase'; readonly phase: DocumentPhase; readonly reason: EndReason | undefined }
  /** A document is shown from here on. `address`: for a details view. */
  | { readonly kind: 'document'; readonly address: string }
  /** Size of the document's plane, and its shape on the screen. */
  | { readonly kind: 'plane'; readonly width: number; readonly height: number; readonly aspect: number }
  /** Where the document shows the station's picture, in px of its plane; undefined: nowhere. */
  | { readonly kind: 'video'; readonly rectangle: VideoRectangle | undefined }
  /** Groups of keys that the document takes: `basic`, `data-button`, `numeric-tuning`. */
  | { readonly kind: 'usedKeys'; readonly groups: readonly string[] }
  /** `isAwaiting`: a document waits for a module. */
  | {
      readonly kind: 'progress';
      readonly components: readonly ComponentProgress[];
      readonly isAwaiting: boolean;
    }
  | { readonly kind: 'nvram'; readonly key: string; readonly base64: string }
  | { readonly kind: 'globalRegister'; readonly index: number; readonly value: string }
  | { readonly kind: 'postalCode'; readonly postalCode: string }
  /** `loops`: how often it is heard. Replaces the sound before. */
  | { readonly kind: 'pcm'; readonly sound: number; readonly pcm: Pcm; readonly loops: number }
  | {
      readonly kind: 'aac';
      readonly sound: number;
      readonly bytes: Uint8Array<ArrayBuffer>;
      readonly loops: number;
    }
  | { readonly kind: 'silence' }
  | { readonly kind: 'input'; readonly input: InputRequest | undefined }
  /** Requests to servers are running, or no longer. */
  | { readonly kind: 'communication'; readonly isRunning: boolean }
  | { readonly kind: 'launchFailed'; readonly fault: LaunchFault }
  | { readonly kind: 'request'; readonly id: number; readonly request: PageRequest }
  | { readonly kind: 'pong' }
  | { readonly kind: 'log'; readonly text: string };
