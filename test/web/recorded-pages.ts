/**
 * The data broadcast of a recording, in which a score changes: every `every` seconds another version of the score's page.
 * The place of the picture in it tells the score, so that a test sees it in the stage's style and in a screenshot.
 */
import type { Page } from 'playwright-core';
import type { ResponseMessage } from '../../lib/wire/data-broadcast.ts';
import { encodeEuc } from '../../synth/data/euc.ts';
import type { RecordedMessage } from '../data/recorded-message.ts';

const ENTRY = 0x40;
const TYPE = 'text/X-arib-bml; charset="EUC-JP"';
/** Scores have places and colours of their own until this number. */
const SCORES = 100;
const WIDTH = 960;

export interface Recorded {
  readonly length: number;
  /** s */
  readonly every: number;
  /** Broadcast time of second 0, epoch ms. */
  readonly startAt: number;
  /** Nothing was received in between, s. */
  readonly gap?: readonly [from: number, to: number];
  /** The entry waits for d. */
  readonly isStandBy?: boolean;
  /** Octets of other modules, as stations have them. */
  readonly otherOctets?: number;
}

/** Where the page of a score has the picture, as a part of its width. */
export const placeOf = (score: number): number => (20 + 4 * (score % SCORES)) / WIDTH;

const STYLE =
  'body { resolution:960x540; display-aspect-ratio:16v9; used-key-list:basic data-button; background-color-index:4; }' +
  'p { color-index:7; font-size:36px; line-height:48px; }';

function documentOf(script: string, body: string, events: string, attributes = ''): string {
  return [
    '<?xml version="1.0" encoding="EUC-JP"?><?bml bml-version="3.0"?>',
    `<bml><head><title>score</title><style><![CDATA[${STYLE}]]></style><script><![CDATA[${script}]]></script>`,
    `<bevent>${events}</bevent></head><body id="body" ${attributes}>${body}</body></bml>`,
  ].join('\n');
}

const TO_SCORE = 'browser.launchDocument("/40/0001/score.bml", "cut");';

const startup = (isStandBy: boolean): string =>
  isStandBy
    ? documentOf(
        `function pressed() { ${TO_SCORE} }`,
        '',
        '<beitem id="d" type="DataButtonPressed" subscribe="subscribe" onoccur="pressed();"/>',
        'invisible="invisible"',
      )
    : documentOf(`function loaded() { ${TO_SCORE} }`, '', '', 'onload="loaded();"');

/** With a clock, so that a screenshot tells the time of the broadcast. */
function scorePage(score: number): string {
  const left = Math.round(placeOf(score) * WIDTH);
  const script = `
    function changed() { if (document.currentEvent.status == 0) ${TO_SCORE} }
    function pressed() {}
    function tick() { document.getElementById("clock").firstChild.data = new Date().toString(); }
    function loaded() { tick(); browser.setInterval("tick();", 250, 0); document.getElementById("score").focus(); }`;
  const events =
    '<beitem id="m" type="ModuleUpdated" module_ref="/40/0001" subscribe="subscribe" onoccur="changed();"/>' +
    '<beitem id="d" type="DataButtonPressed" subscribe="subscribe" onoccur="pressed();"/>';
  const body =
    `<object id="video" type="video/X-arib-mpeg2" data="/-1" remain="remain" style="left:${left}px; top:110px; width:480px; height:270px"/>` +
    '<p style="left:40px; top:30px; width:500px; height:56px">野球中継のデータ放送</p>' +
    `<p id="score" style="left:40px; top:420px; width:400px; height:56px; nav-index:0">みなと${score}点</p>` +
    '<p id="clock" style="left:460px; top:420px; width:480px; height:56px">.</p>';
  return documentOf(script, body, events, 'onload="loaded();"');
}

const file = (name: string, text: string) => ({
  contentLocation: name,
  contentType: TYPE,
  dataBase64: Buffer.from(encodeEuc(text)).toString('base64'),
});

const version = (score: number): number => (score % 255) + 1;

function listOf(score: number): ResponseMessage {
  return {
    ...{ type: 'moduleListUpdated', componentId: ENTRY, dataEventId: 1, returnToEntryFlag: false },
    modules: [
      { id: 0, version: 1, size: 1000 },
      { id: 1, version: version(score), size: 1000 },
    ],
  };
}

const moduleOf = (moduleId: number, versionNow: number, name: string, text: string): ResponseMessage => ({
  ...{ type: 'moduleDownloaded', componentId: ENTRY, dataEventId: 1, moduleId, version: versionNow },
  files: [file(name, text)],
});

const OTHER = 0x50;
const OTHER_OCTETS = 200_000;

/** Modules of another component, which change nothing on the screen. */
function otherMessages(octets: number): ResponseMessage[] {
  const count = Math.ceil(octets / OTHER_OCTETS);
  const ids = Array.from({ length: count }, (_, id) => id);
  const bytes = Buffer.from(Uint8Array.from({ length: OTHER_OCTETS }, (_, at) => (at * 7919) >>> (at & 7)));
  const dataBase64 = bytes.toString('base64');
  return [
    {
      ...{ type: 'moduleListUpdated', componentId: OTHER, dataEventId: 1, returnToEntryFlag: false },
      modules: ids.map((id) => ({ id, version: 1, size: OTHER_OCTETS })),
    },
    ...ids.map(
      (moduleId): ResponseMessage => ({
        ...{ type: 'moduleDownloaded', componentId: OTHER, dataEventId: 1, moduleId, version: 1 },
        files: [{ contentLocation: `${moduleId}.jpg`, contentType: 'image/jpeg', dataBase64 }],
      }),
    ),
  ];
}

/** Score at a second, which nobody sees while nothing is received. */
export function scoreAt({ every, gap, length }: Recorded, at: number): number {
  const seen = gap !== undefined && at >= gap[0] && at < gap[1] ? gap[0] - 0.001 : Math.min(at, length);
  return Math.floor(seen / every);
}

export function recordedScores(recorded: Recorded): (from: number) => Generator<RecordedMessage> {
  const { length, startAt, gap, isStandBy = false, otherOctets = 0 } = recorded;
  const isMissed = (at: number): boolean => gap !== undefined && at >= gap[0] && at < gap[1];
  const clock = (at: number): RecordedMessage => ({
    at,
    message: { type: 'currentTime', at: startAt + Math.round(at * 1000) },
  });
  return function* (from) {
    const state: ResponseMessage[] = [
      {
        type: 'pmt',
        components: [
          { pid: 0x111, componentId: 0x00, streamType: 0x02, dataComponentId: null, bxmlInfo: null },
          { pid: 0x140, componentId: ENTRY, streamType: 0x0d, dataComponentId: 0x0c, bxmlInfo: null },
          { pid: 0x150, componentId: OTHER, streamType: 0x0d, dataComponentId: 0x0c, bxmlInfo: null },
        ],
      },
      {
        ...{ type: 'programInfo', networkId: 32_740, transportStreamId: 32_740, serviceId: 1024 },
        ...{ eventId: 1, startAt, durationMs: length * 1000, name: '野球' },
      },
      listOf(scoreAt(recorded, from)),
      moduleOf(0, 1, 'startup.bml', startup(isStandBy)),
      moduleOf(1, version(scoreAt(recorded, from)), 'score.bml', scorePage(scoreAt(recorded, from))),
    ];
    if (otherOctets > 0) state.push(...otherMessages(otherOctets));
    for (const message of state) yield { at: from, message };
    yield clock(from);
    let score = scoreAt(recorded, from);
    for (let at = Math.floor(from * 2) / 2 + 0.5; at <= length; at += 0.5) {
      if (isMissed(at)) continue;
      if (scoreAt(recorded, at) !== score) {
        score = scoreAt(recorded, at);
        yield { at, message: listOf(score) };
        yield { at, message: moduleOf(1, version(score), 'score.bml', scorePage(score)) };
      }
      if (Number.isInteger(at)) yield clock(at);
    }
  };
}

interface Seen {
  readonly at: number;
  /** Of the picture in the page, as a part of its width; NaN: no page is shown. */
  readonly place: number;
}

export const seen = (page: Page): Promise<Seen> =>
  page.evaluate(() => {
    const stage = document.querySelector<HTMLElement>('.stage');
    const isShown = stage?.dataset.page === 'shown';
    return {
      at: document.querySelector('video')?.currentTime ?? 0,
      place: isShown ? Number(stage.style.getPropertyValue('--hole-x')) : Number.NaN,
    };
  });

/** Waits until the page is that of the place where the picture is, whatever it is by then. */
export async function ofItsMoment(page: Page, scores: Recorded): Promise<Seen> {
  for (;;) {
    const now = await seen(page);
    if (Math.abs(now.place - placeOf(scoreAt(scores, now.at))) < 0.001) return now;
    await page.waitForTimeout(20);
  }
}
