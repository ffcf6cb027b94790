import { expect, test } from 'bun:test';
import { applicationsOfXml, XML_LIMITS } from '../../lib/arib/application/xml-ait.ts';
import { processorMs } from '../processor-time.ts';
import { FUZZ_TIMEOUT, fuzzRounds, fuzzSeed, Random } from './random.ts';

const seed = fuzzSeed();
const ROUNDS = fuzzRounds(2000);

const PIECES = [
  ...[
    '<',
    '>',
    '/',
    '</',
    '/>',
    '"',
    "'",
    '=',
    ' ',
    '<!--',
    '-->',
    '<![CDATA[',
    ']]>',
    '<?',
    '?>',
    '<!DOCTYPE a [',
  ],
  ...[
    '<Application>',
    '</Application>',
    '<orgId>',
    '</orgId>',
    '<appId>',
    '<a:appId x="',
    '1',
    '0x',
    '70000',
    '&amp;',
  ],
  ...[
    '<boundary>',
    '</boundary>',
    '<permissionBitmap>',
    '0xffff',
    '<managedURL>',
    'http://a.example/',
    '&#x41;',
    '&#0;',
  ],
  ...[
    '<URLBase>',
    '<applicationLocation>',
    '<controlCode>AUTOSTART',
    '\u0000',
    '\ud800',
    '日本',
    '<type>ISDB-HTML</type>',
  ],
];

test(
  `any XML AIT is read to its end, into a bounded number of applications (FUZZ_SEED=${seed})`,
  () => {
    const random = new Random(seed);
    for (let round = 0; round < ROUNDS; round++) {
      const text = Array.from({ length: random.below(200) }, () => random.pick(PIECES)).join('');
      const read = applicationsOfXml(text);
      expect(read.length).toBeLessThanOrEqual(32);
      for (const { organizationId, applicationId, url } of read) {
        expect(organizationId).toBeLessThanOrEqual(0xffff_ffff);
        expect(applicationId).toBeLessThanOrEqual(0xffff);
        expect(url?.length ?? 0).toBeLessThanOrEqual(2048);
      }
    }
  },
  FUZZ_TIMEOUT,
);

test('the largest and deepest documents take milliseconds', () => {
  const filled = (piece: string): string => piece.repeat(Math.ceil(XML_LIMITS.characters / piece.length));
  for (const piece of [
    '<Application>',
    '<boundary><permissionBitmap>',
    '<a b="',
    '<!--',
    'x<!---->',
    '<',
    '&#65;',
  ]) {
    const begun = processorMs();
    applicationsOfXml(`<r>${filled(piece)}`);
    expect(processorMs() - begun).toBeLessThan(2_000);
  }
});
