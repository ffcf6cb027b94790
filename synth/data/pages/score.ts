/**
 * A score that event messages keep up to date, and a mark that appears at times of the programme (NPT). The messages
 * are sent on the component of the document.
 */
import { type EventMessage, eventSection, nptSection } from '../../si/stream-event.ts';
import { colour } from '../clut.ts';
import { encodeEuc } from '../euc.ts';
import {
  boxStyle,
  EMPTY,
  event,
  fontStyle,
  keyBox,
  type PageContext,
  pictureBox,
  subpageText,
  textBox,
} from './page.ts';

const COMPONENT = '/61';
const SCORE_MESSAGE = 1;
const MARK_MESSAGE = 2;
/** Seconds of an edition of the score; nine innings of two editions each. */
const SCORE_SECONDS = 10;
const EDITIONS = 18;
/** NPT advances with the clock of the stream, from another zero. */
const NPT_LEAD = 1_000_000;
/** 90 kHz ticks between marks, and for how long before it a mark is announced. */
const MARK_TICKS = 30 * 90_000;
const NOTICE_TICKS = 10 * 90_000;

const WRAP = 2 ** 33;
const wrapped = (ticks: number) => ((ticks % WRAP) + WRAP) % WRAP;

/** Private data of the score's edition: inning, its half, runs of both sides. */
function scoreText(edition: number): string {
  const turn = edition % EDITIONS;
  const runs = (side: number) => Math.floor(((turn + side) * (side === 0 ? 3 : 2)) / 8);
  return `${Math.floor(turn / 2) + 1},${turn % 2 === 0 ? '表' : '裏'},${runs(0)},${runs(1)}`;
}

/** What is sent at a moment. @param ticks unwrapped 90 kHz clock of the stream */
export function scoreSections(ticks: number): Uint8Array[] {
  const edition = Math.floor(ticks / (SCORE_SECONDS * 90_000));
  const score: EventMessage = {
    group: 0,
    npt: null,
    type: 1,
    id: SCORE_MESSAGE,
    version: edition & 0xff,
    data: encodeEuc(scoreText(edition)),
  };
  const sections = [
    nptSection({
      stc: wrapped(Math.floor(ticks)),
      npt: wrapped(Math.floor(ticks) + NPT_LEAD),
      isRunning: true,
    }),
    eventSection(score),
  ];
  const mark = Math.ceil(ticks / MARK_TICKS);
  if (mark * MARK_TICKS - ticks > NOTICE_TICKS) return sections;
  const npt = wrapped(mark * MARK_TICKS + NPT_LEAD);
  const data = encodeEuc(`名場面${mark % 100}`);
  return [
    ...sections,
    eventSection({ group: 1, npt, type: 1, id: MARK_MESSAGE, version: mark & 0xff, data }),
  ];
}

function fired(id: string, handler: string, message: number, group: number): string {
  const more = `es_ref="${COMPONENT}" message_group_id="${group}" message_id="${message}" message_version="255"`;
  return event(id, { type: 'EventMessageFired', handler, more });
}

export function scoreDocument(page: PageContext): string {
  const script = `
function loaded() {
}
function put(id, text) {
  document.getElementById(id).firstChild.data = text;
}
function part(text, number) {
  var from = 0;
  var comma = text.indexOf(",", from);
  while (number > 0) {
    from = comma + 1;
    comma = text.indexOf(",", from);
    number--;
  }
  if (comma < 0) comma = text.length;
  return text.substring(from, comma);
}
function scored() {
  var text = document.currentEvent.privateData;
  put("inning", part(text, 0) + "回" + part(text, 1));
  put("first", part(text, 2));
  put("second", part(text, 3));
  browser.playRomSound("romsound://3");
}
function marked() {
  put("mark", document.currentEvent.privateData);
  document.getElementById("star").normalStyle.visibility = "visible";
  browser.setInterval("unmark();", 3000, 1);
}
function unmark() {
  document.getElementById("star").normalStyle.visibility = "hidden";
}`;
  const big = `${fontStyle(page, 'large')}; text-align:center`;
  const star = `${boxStyle(page, [620, 420, 300, 60])}; background-color-index:${colour('focus')}; visibility:hidden`;
  return subpageText(page, {
    title: 'スポーツ速報',
    script,
    background: colour('clear'),
    events: [fired('score', 'scored', SCORE_MESSAGE, 0), fired('moment', 'marked', MARK_MESSAGE, 1)],
    body: [
      pictureBox(page, 'video', [0, 0, 960, 540], 'video/X-arib-mpeg2', '/-1'),
      keyBox('key'),
      `<div id="board" style="${boxStyle(page, [40, 380, 520, 130])}; background-color-index:${colour('veil')}">`,
      textBox(page, 'inning', [20, 12, 220, 44], '速報待ち'),
      textBox(page, 'home', [20, 66, 130, 44], 'つばめ'),
      textBox(page, 'first', [150, 66, 70, 44], EMPTY, big),
      textBox(page, 'away', [270, 66, 130, 44], 'かもめ'),
      textBox(page, 'second', [400, 66, 70, 44], EMPTY, big),
      '</div>',
      `<div id="star" style="${star}">`,
      textBox(page, 'mark', [10, 10, 280, 44], EMPTY),
      '</div>',
    ],
  });
}
