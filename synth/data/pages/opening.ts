/**
 * The first document of a data broadcast, in the manners in which real stations wait for the d button: each until the
 * portal's module is in memory, and then for one press. The manners differ in what else they wait for.
 */
import type { Opening } from '../../scenario/model.ts';
import { colour } from '../clut.ts';
import {
  boxStyle,
  documentText,
  event,
  fontStyle,
  moduleEvent,
  type PageContext,
  pictureBox,
  textBox,
} from './page.ts';

const PORTAL = '/40/0001/portal.bml';
const PORTAL_MODULE = '/40/0001';
const NEWS_MODULE = '/60/0000';

/** Statements when the document is loaded, and functions. */
const WAITING: Readonly<Record<Opening, (page: PageContext) => [begin: string, functions: string]>> = {
  invisible: () => ['isOpen = true;', ''],
  standby: () => ['isOpen = true;', ''],
  module: () => [
    '',
    `
function announced() {
  var status = document.currentEvent.status;
  if (status == 2 || status == 6) isOpen = true;
  tryOpen();
}`,
  ],
  deaf: () => [
    'deafTimer = browser.setInterval("hearing();", 2000, 1);',
    `
var deafTimer;
function hearing() {
  browser.clearTimer(deafTimer);
  isOpen = true;
}`,
  ],
  affiliation: (page) => [
    'bitTimer = browser.setInterval("askBroadcaster();", 500, 0);',
    `
var bitTimer;
function askBroadcaster() {
  var own = browser.readPersistentArray("${ownArea(page)}", "U:2B");
  if (own == null) return;
  browser.clearTimer(bitTimer);
  isOpen = true;
  tryOpen();
}`,
  ],
};

/** Memory that only a receiver which knows the broadcaster can read. */
function ownArea({ type, affiliation }: PageContext): string {
  if (type !== 'GR') return 'nvram://~/0';
  return `nvram://${affiliation.toString(16).padStart(2, '0')};group/0`;
}

export function openingDocument(page: PageContext, opening: Opening): string {
  const [begin, functions] = WAITING[opening](page);
  // A press in the deaf time is discarded; in the other manners it is kept.
  const discards = opening === 'deaf';
  const script = `
var isOpen = false;
var isReady = false;
var isPressed = false;
function loaded() {
  ${begin}
  if (browser.lockModuleOnMemory("${PORTAL_MODULE}") != 1) showState("データ取得待ち");
}
function locked() {
  if (document.currentEvent.status != 0) return;
  isReady = true;
  showState("データ放送");
  tryOpen();
}
function pressed() {
  ${discards ? 'if (!isOpen) return;' : ''}
  isPressed = true;
  tryOpen();
}
function tryOpen() {
  if (!isPressed || !isOpen || !isReady) return;
  browser.launchDocument("${PORTAL}", "cut");
}
function showState(text) {
  var state = document.getElementById("state");
  if (state) state.firstChild.data = text;
}
${functions}`;
  const isShown = opening === 'standby' || opening === 'affiliation';
  const sign = [
    `<div id="sign" style="${boxStyle(page, [700, 470, 240, 50])}; background-color-index:${colour('black')}">`,
    textBox(page, 'state', [10, 7, 220, 36], '読み込み中', fontStyle(page, 'small')),
    '</div>',
  ];
  return documentText(page, {
    title: page.name,
    script,
    events: [
      event('press', { type: 'DataButtonPressed', handler: 'pressed' }),
      moduleEvent('lock', 'ModuleLocked', 'locked', PORTAL_MODULE),
      ...(opening === 'module' ? [moduleEvent('there', 'ModuleUpdated', 'announced', NEWS_MODULE)] : []),
    ],
    body: [
      pictureBox(page, 'video', [0, 0, 960, 540], 'video/X-arib-mpeg2', '/-1'),
      ...(isShown ? sign : []),
    ],
    isInvisible: !isShown,
  });
}
