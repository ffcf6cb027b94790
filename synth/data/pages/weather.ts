/** Weather of the region in which the receiver stands: the row whose postal codes contain the viewer's. */
import { Random } from '../../random.ts';
import { ByteWriter } from '../../si/bytes.ts';
import { MEDIA, type Resource } from '../module-file.ts';
import {
  EMPTY,
  event,
  fontStyle,
  keyBox,
  type PageContext,
  type PostalRange,
  pictureBox,
  postalField,
  subpageText,
  textBox,
  textField,
} from './page.ts';

/** Regions and their postal codes; the last one has no codes of its own. */
const REGIONS: readonly (readonly [name: string, postal: readonly PostalRange[]])[] = [
  [
    '札幌',
    [
      ['0010000', '0079999'],
      ['0600000', '0659999'],
    ],
  ],
  ['仙台', [['9800000', '9899999']]],
  ['東京', [['1000000', '2089999']]],
  ['横浜', [['2100000', '2599999']]],
  ['千葉', [['2600000', '2999999']]],
  ['さいたま', [['3300000', '3699999']]],
  ['名古屋', [['4400000', '4999999']]],
  ['大阪', [['5300000', '5999999']]],
  ['広島', [['7200000', '7399999']]],
  ['福岡', [['8000000', '8399999']]],
  ['那覇', [['9000000', '9079999']]],
  ['小島', [['1000301', '1000301']]],
];
const SKIES = ['晴れ', 'くもり', '雨'] as const;
const PICTURES = ['fine.mng', 'cloud.png', 'rain.png'] as const;
const WEATHER_STRUCTURE = '0,S:1V,U:1B,I:1B,I:1B,U:1B,Z:1V';

/** @param day counted from any day */
export function weatherTable(page: PageContext, day: number): Resource {
  const table = new ByteWriter();
  for (const [name, postal] of REGIONS) {
    const random = new Random('weather', page.name, name, day);
    const high = 8 + random.below(20);
    table.bytes(textField(name)).u8(random.below(SKIES.length));
    table
      .u8(high)
      .u8((high - 10 + random.below(4)) & 0xff)
      .u8(10 * random.below(11));
    table.bytes(postalField(postal));
  }
  return { name: 'weather.tbl', type: MEDIA.table, bytes: table.done() };
}

const DEFAULT_REGION = REGIONS.findIndex(([name]) => name === '東京');

export function weatherDocument(page: PageContext): string {
  const script = `
var table = null;
var row = ${DEFAULT_REGION};
function loaded() {
  table = new BinaryTable("/40/0004/weather.tbl", "${WEATHER_STRUCTURE}");
  var postal = browser.readPersistentArray("nvram://receiverinfo/zipcode", "S:7B");
  if (postal != null && postal[0].length == 7) {
    var found = new Array();
    table.search(0, 5, postal[0], 96, true, 1, found);
    if (found.length > 0) row = rowOf(found[0][0]);
  }
  show();
}
function rowOf(name) {
  var at;
  for (at = 0; at < table.nrow; at++) {
    if (table.toString(at, 0) == name) return at;
  }
  return ${DEFAULT_REGION};
}
function put(id, text) {
  document.getElementById(id).firstChild.data = text;
}
function show() {
  var sky = table.toNumber(row, 1);
  put("region", table.toString(row, 0));
  put("high", "最高 " + table.toNumber(row, 2) + "度");
  put("low", "最低 " + table.toNumber(row, 3) + "度");
  put("rain", "降水確率 " + table.toNumber(row, 4) + "%");
  var picture = document.getElementById("picture");
  var moving = document.getElementById("moving");
  if (sky == 0) {
    put("sky", "${SKIES[0]}");
    picture.normalStyle.visibility = "hidden";
    moving.normalStyle.visibility = "visible";
    moving.streamStatus = "play";
  } else {
    moving.streamStatus = "stop";
    moving.normalStyle.visibility = "hidden";
    picture.data = sky == 1 ? "/40/0003/${PICTURES[1]}" : "/40/0003/${PICTURES[2]}";
    picture.normalStyle.visibility = "visible";
    put("sky", sky == 1 ? "${SKIES[1]}" : "${SKIES[2]}");
  }
}
function turned() {
  var moving = document.getElementById("moving");
  moving.streamPosition = 0;
}
function key() {
  var code = document.currentEvent.keyCode;
  if (code == 19) back();
  if (code == 3 || code == 4) {
    row = row + (code == 4 ? 1 : table.nrow - 1);
    row = row % table.nrow;
    show();
  }
}`;
  return subpageText(page, {
    title: 'お天気',
    script,
    events: [event('turn', { type: 'MediaStopped', handler: 'turned', more: 'object_id="moving"' })],
    body: [
      pictureBox(page, 'video', [560, 40, 360, 202], 'video/X-arib-mpeg2', '/-1'),
      textBox(page, 'title', [40, 30, 400, 44], 'お天気', fontStyle(page, 'large')),
      keyBox('key'),
      textBox(page, 'region', [40, 120, 400, 44], EMPTY, fontStyle(page, 'large')),
      pictureBox(page, 'picture', [60, 200, 192, 192], MEDIA.png, '/40/0003/cloud.png'),
      pictureBox(page, 'moving', [60, 200, 192, 192], MEDIA.mng, '/40/0003/fine.mng'),
      textBox(page, 'sky', [300, 220, 240, 40], EMPTY),
      textBox(page, 'high', [300, 264, 240, 40], EMPTY),
      textBox(page, 'low', [300, 308, 240, 40], EMPTY),
      textBox(page, 'rain', [300, 352, 300, 40], EMPTY),
      textBox(
        page,
        'help',
        [40, 470, 880, 36],
        '左右で地域を変えます。戻るでメニューです。',
        fontStyle(page, 'small'),
      ),
    ],
  });
}
