/** A small data broadcast as messages of the service: a menu, a page with digits, and what misbehaves. */
import type { DataComponent, ResponseMessage } from '../../lib/wire/data-broadcast.ts';
import { encodeEuc } from '../../synth/data/euc.ts';

const ENTRY = 0x40;
const TYPE = 'text/X-arib-bml; charset="EUC-JP"';

interface Page {
  readonly name: string;
  /** Left, top, width, height of the station's picture; none: it is not shown. */
  readonly picture?: readonly [number, number, number, number];
  readonly usedKeys?: string;
  readonly script?: string;
  /** Text and handler of each. */
  readonly choices: readonly (readonly [text: string, handler: string])[];
  /** Markup after the choices. */
  readonly more?: string;
}

function documentOf(page: Page): string {
  const { name, picture, usedKeys = 'basic data-button', script = '', choices, more = '' } = page;
  const handlers = choices.map(([, handler], index) => `function choose${index}() { ${handler} }`);
  const count = choices.length;
  const boxes = choices.map(([text], index) => {
    const nav = `nav-index:${index}; nav-up:${(index + count - 1) % count}; nav-down:${(index + 1) % count}`;
    const place = `left:40px; top:${110 + index * 70}px; width:380px; height:56px`;
    return `<p id="choice${index}" style="${place}; ${nav}" onclick="choose${index}();">${text}</p>`;
  });
  const [left = 0, top = 0, width = 0, height = 0] = picture ?? [];
  const video =
    picture === undefined
      ? ''
      : `<object id="video" type="video/X-arib-mpeg2" data="/-1" remain="remain" style="left:${left}px; top:${top}px; width:${width}px; height:${height}px"/>`;
  return [
    '<?xml version="1.0" encoding="EUC-JP"?>',
    '<?bml bml-version="3.0"?>',
    `<bml><head><title>${name}</title><style><![CDATA[`,
    `body { resolution:960x540; display-aspect-ratio:16v9; used-key-list:${usedKeys}; background-color-index:4; }`,
    'p { color-index:7; font-size:36px; line-height:48px; border-style:solid; border-width:3px;',
    ' border-top-color-index:4; border-bottom-color-index:4; border-left-color-index:4; border-right-color-index:4; }',
    'p:focus { border-top-color-index:3; border-bottom-color-index:3; border-left-color-index:3; border-right-color-index:3; }',
    ']]></style>',
    `<script><![CDATA[${script} ${handlers.join('\n')} function pressed() {}`,
    'function loaded() { document.getElementById("choice0").focus(); }]]></script>',
    '<bevent><beitem id="data" type="DataButtonPressed" subscribe="subscribe" onoccur="pressed();"/></bevent></head>',
    '<body onload="loaded();">',
    `${video}<p style="left:40px; top:30px; width:600px; height:56px">${name}</p>${boxes.join('')}${more}</body></bml>`,
  ].join('\n');
}

const to = (page: string): string => `browser.launchDocument("/40/0000/${page}.bml", "cut");`;

/** `%s`: the programme that the menu offers to reserve. */
const pages = (event: string): readonly (readonly [string, Page])[] => [
  [
    'startup',
    {
      name: 'みなとテレビのデータ放送',
      picture: [464, 110, 480, 270],
      choices: [
        ['お天気', to('weather')],
        ['番組の予約', `browser.epgRecReserve("${event}");`],
        ['止まらないページ', to('endless')],
        ['全画面', to('whole')],
        ['文字', to('text')],
        ['アプリ', 'browser.startAITControlledApp("http://data.example.test/hybrid/ait.xml", 17, 1);'],
      ],
    },
  ],
  [
    'weather',
    {
      name: 'お天気',
      usedKeys: 'basic data-button numeric-tuning',
      choices: [['もどる', to('startup')]],
    },
  ],
  ['whole', { name: '速報', picture: [0, 0, 960, 540], choices: [['もどる', to('startup')]] }],
  [
    'text',
    {
      name: '文字',
      choices: [['入力', 'document.getElementById("text").focus();']],
      script: `function typed() { if (document.getElementById("text").value == "1500001") ${to('whole')} }`,
      more:
        '<input id="text" type="text" inputmode="indirect" maxlength="7" charactertype="number" value="" ' +
        'style="left:40px; top:300px; width:380px; height:56px; nav-index:1" onchange="typed();"/>',
    },
  ],
  // What attacks do: no key is answered, no document follows.
  [
    'endless',
    { name: '終わらない', usedKeys: 'basic data-button numeric-tuning', choices: [['計算', 'while (1) {}']] },
  ],
];

const COMPONENTS: readonly DataComponent[] = [
  { pid: 0x111, componentId: 0x00, streamType: 0x02, dataComponentId: null, bxmlInfo: null },
  { pid: 0x112, componentId: 0x10, streamType: 0x0f, dataComponentId: null, bxmlInfo: null },
  { pid: 0x140, componentId: ENTRY, streamType: 0x0d, dataComponentId: 0x0c, bxmlInfo: null },
];

interface Broadcast {
  readonly networkId: number;
  readonly serviceId: number;
  /** event_id of a programme of the station. */
  readonly eventId: number;
}

/** All messages that a client gets that asks. The second module is not complete. */
export function dataBroadcast({ networkId, serviceId, eventId }: Broadcast): ResponseMessage[] {
  const hex = (id: number): string => id.toString(16).padStart(4, '0');
  const event = `arib://${hex(networkId)}.${hex(networkId)}.${hex(serviceId)}.${hex(eventId)}`;
  const files = pages(event).map(([name, page]) => ({
    contentLocation: `${name}.bml`,
    contentType: TYPE,
    dataBase64: Buffer.from(encodeEuc(documentOf(page))).toString('base64'),
  }));
  return [
    { type: 'pmt', components: [...COMPONENTS] },
    {
      type: 'programInfo',
      networkId,
      transportStreamId: networkId,
      serviceId,
      eventId: 1,
      startAt: null,
      durationMs: null,
      name: null,
    },
    {
      type: 'moduleListUpdated',
      componentId: ENTRY,
      dataEventId: 15,
      returnToEntryFlag: false,
      modules: [
        { id: 0, version: 1, size: 3000 },
        { id: 7, version: 1, size: 1000 },
      ],
    },
    { type: 'moduleDownloaded', componentId: ENTRY, dataEventId: 15, moduleId: 0, version: 1, files },
  ];
}
