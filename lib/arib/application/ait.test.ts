import { expect, test } from 'bun:test';
import { readSection } from '../ts/section.ts';
import { applicationsOf, parseAit } from './section-ait.ts';
import { applicationsOfXml } from './xml-ait.ts';

function crc(bytes: readonly number[]): number[] {
  let value = 0xffff_ffff;
  for (const byte of bytes)
    for (let bit = 7; bit >= 0; bit--)
      value = ((value << 1) ^ (((value >>> 31) ^ ((byte >> bit) & 1)) === 1 ? 0x04c1_1db7 : 0)) >>> 0;
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff);
}

/** A section of an AIT. @param table octets in hexadecimal, with a comment after `//` on each line */
function ait(type: number, table: string) {
  const body = [...Uint8Array.fromHex(table.replace(/\/\/.*/g, '').replace(/\s/g, ''))];
  const length = body.length + 9;
  const head = [0x74, 0xf0 | (length >> 8), length & 0xff, type >> 8, type & 0xff, 0xc3, 0, 0];
  const bytes = [...head, ...body];
  const section = readSection(Uint8Array.from([...bytes, ...crc(bytes)]));
  const parsed = section === undefined ? undefined : parseAit(section);
  if (parsed === undefined) throw new Error('no AIT');
  return parsed;
}

const text = (value: string): string => Buffer.from(value, 'latin1').toString('hex');

const SECTION = `
  F0 10                     // common descriptors
    02 0E 00 03 01 09 ${text('http://a/')} 00 // transport 1: HTTP
  F0 3F                     // applications
    00 00 00 11 00 22 02    // ids, PRESENT
    F0 36
      00 09 05 00 00 01 00 00 FF 05 01 // application: transport 1
      01 05 6A 70 6E 01 A2             // name
      15 05 ${text('b.htm')}
      17 09 01 07 ${text('http://')}
      30 0D 01 16 00 01 08 ${text('http://a')}
      31 01 07`;

test('an application of a section: URL of base and location, name, boundaries, priority', () => {
  expect(applicationsOf([ait(0x0010, SECTION)])).toEqual([
    {
      organizationId: 0x11,
      applicationId: 0x22,
      control: 'present',
      name: 'あ',
      url: 'http://a/b.htm',
      boundaries: [
        { bitmaps: null, urls: ['http://'] },
        { bitmaps: [0x1600], urls: ['http://a'] },
      ],
      autostartPriority: 7,
    },
  ]);
});

test('a table for tests, and one of another type, have none', () => {
  expect(applicationsOf([ait(0x8010, SECTION)])).toEqual([]);
  expect(applicationsOf([ait(0x0002, SECTION)])).toEqual([]);
});

const XML = `<?xml version="1.0" encoding="UTF-8"?>
<isdb:ServiceDiscovery xmlns:isdb="urn:arib:isdb:2012" xmlns:mhp="urn:dvb:mhp:2009">
 <isdb:ApplicationDiscovery DomainName="a.example"><isdb:ApplicationList>
  <isdb:Application>
   <mhp:appName Language="eng">Portal</mhp:appName><mhp:appName Language="jpn">ポータル</mhp:appName>
   <isdb:applicationIdentifier><mhp:orgId>17</mhp:orgId><mhp:appId>0x22</mhp:appId></isdb:applicationIdentifier>
   <isdb:applicationDescriptor>
    <isdb:type>ISDB-HTML</isdb:type><mhp:controlCode>AUTOSTART</mhp:controlCode>
    <isdb:autostartPriorityDescriptor autostartPriority="9"/>
    <isdb:applicationBoundaryAndPermissionDescriptor>
     <isdb:boundary><isdb:permissionBitmap>0x1600</isdb:permissionBitmap><isdb:managedURL>http://a.example/</isdb:managedURL></isdb:boundary>
     <isdb:boundary><isdb:permissionBitmap>0001011000000000</isdb:permissionBitmap><isdb:managedURL>http://b.example/x/</isdb:managedURL></isdb:boundary>
    </isdb:applicationBoundaryAndPermissionDescriptor>
   </isdb:applicationDescriptor>
   <mhp:applicationBoundary><mhp:BoundaryExtension>http://cdn.example/</mhp:BoundaryExtension></mhp:applicationBoundary>
   <mhp:applicationTransport><mhp:URLBase>http://a.example/</mhp:URLBase></mhp:applicationTransport>
   <mhp:applicationLocation>app/index.html</mhp:applicationLocation>
  </isdb:Application>
 </isdb:ApplicationList></isdb:ApplicationDiscovery>
</isdb:ServiceDiscovery>`;

test('an application of an XML AIT', () => {
  expect(applicationsOfXml(XML)).toEqual([
    {
      organizationId: 17,
      applicationId: 0x22,
      control: 'autostart',
      name: 'ポータル',
      url: 'http://a.example/app/index.html',
      boundaries: [
        { bitmaps: null, urls: ['http://cdn.example/'] },
        { bitmaps: [0x1600], urls: ['http://a.example/'] },
        { bitmaps: [0x1600], urls: ['http://b.example/x/'] },
      ],
      autostartPriority: 9,
    },
  ]);
});

const application = (more: string): string =>
  `<x><Application><orgId>1</orgId><appId>2</appId>${more}</Application></x>`;

test('an XML AIT with one bitmap for all URLs, another type, or wrong ids', () => {
  expect(applicationsOfXml(application('<permissionBitmap>4096</permissionBitmap>'))).toMatchObject([
    { control: 'unknown', url: null, name: null, boundaries: [{ bitmaps: [4096], urls: [] }] },
  ]);
  expect(applicationsOfXml(application('<type><OtherApp>application/x-java</OtherApp></type>'))).toEqual([]);
  expect(applicationsOfXml('<x><Application><orgId>1</orgId><appId>70000</appId></Application></x>')).toEqual(
    [],
  );
  expect(applicationsOfXml('<html><body>404</body></html>')).toEqual([]);
});

test('an application with boundaries that are too long or too many cannot start', () => {
  const long = `http://a/${'x'.repeat(5000)}`;
  const urls = `<managedURL>${long}</managedURL>`;
  const boundary = `<boundary><permissionBitmap>1</permissionBitmap>${urls}</boundary>`;
  const location = '<URLBase>http://a/</URLBase>';
  expect(applicationsOfXml(application(location))).toMatchObject([{ url: 'http://a/' }]);
  expect(applicationsOfXml(application(location + boundary))).toMatchObject([{ url: null }]);
  expect(
    applicationsOfXml(application(location + boundary.replace(long, 'http://a/').repeat(100))),
  ).toMatchObject([{ url: null }]);
  const many = applicationsOfXml(
    `<x>${'<Application><orgId>1</orgId><appId>2</appId></Application>'.repeat(1000)}</x>`,
  );
  expect(many.length).toBe(32);
});
