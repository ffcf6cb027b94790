/** Tables of stations, data and receivers byte by byte, in the layout of the standards. */
import { expect, test } from 'bun:test';
import { broadcastMs } from '../../lib/arib/time.ts';
import { placeChannel } from '../scenario/layout.ts';
import { findChannel, loadScenario } from '../scenario/load.ts';
import { aitSection } from './ait.ts';
import { bitSections } from './bit.ts';
import { ddbSections, diiSection, moduleCompression, moduleName } from './dsmcc.ts';
import { dataPmtSection } from './psi.ts';
import { receiverSdtt } from './sdtt.ts';
import { logoInCdt, logoShared } from './service-descriptors.ts';

const mini = loadScenario('mini');
const terrestrial = findChannel(mini, 'GR', 'T26');
const satellite = placeChannel(findChannel(mini, 'BS', 'BS01_0'));

/** Bytes in hexadecimal, with comments. */
function octets(text: string): string {
  return text
    .replace(/\/\/.*/g, '')
    .replace(/\s/g, '')
    .toLowerCase();
}

/** A section without its CRC, which another test checks. */
function body(section: Uint8Array): string {
  return section.subarray(0, -4).toHex();
}

test('BIT of a terrestrial network', () => {
  const groups = [
    { segments: 8, seconds: 10 },
    { segments: 16, seconds: 30 },
  ];
  const actual = {
    presentFollowing: 1,
    basic: { groups, base: 60 },
    extended: { groups: [], base: 145 },
  };
  const cycles = { nit: 1, sdt: 2, bit: 10, sdtt: 20, cdt: 120, events: { actual, other: null } };
  expect(bitSections(mini, terrestrial, cycles).map(body).join()).toBe(
    octets(`
      C4 F057 7F61 C3 00 00 // original_network_id, version 1
      E014                  // broadcast_view_propriety 0, first_descriptors_length
      D7 12 01 ED04         // SI parameter: version, update_time 2025-01-01
      40 01 01              // NIT every second
      42 01 02              // SDT every two
      4E 04 01 FF 01 02     // EIT p/f: H 1 s, M none, L 1 s, two events in L
      C4 01 10              // BIT every ten, BCD
      FF F035               // the only broadcaster, its loop
      D8 0A A2B5AEEA2546256C2553 // broadcaster name
      41 03 2408 01         // service list
      D7 1B 01 ED04
      50 08 47 08 060E 08 10 16 30 // television, eight days, 60 s; eight segments every 10 s, 16 every 30 s
      58 04 47 08 145C      // 145 s, no group
      C3 02 0020            // SDTT every 20 s
      C8 02 0120            // CDT every 120 s
      CE 05 1F 7F61 10 02   // terrestrial television, broadcaster, one affiliation and no broadcaster, 2
    `),
  );
});

test('PMT of a service that is a document', () => {
  const [service] = satellite.dataServices;
  if (service === undefined) throw new Error('none');
  expect(body(dataPmtSection(satellite.plan, service))).toBe(
    octets(`
      02 B021 0187 C3 00 00
      FFFF F000             // no PCR, no descriptors
      0D E340 F00F          // data carousel
      52 01 40              // component_tag of the first component
      FD 0A 0007            // BML of BS
      33                    // carousel, entry point, starts by itself, 960x540
      3F 0001 0000          // no XML, version follows, independent, for televisions; 1.0
      FF BF                 // data_event_id F, events; on demand, not stored, priority 1
    `),
  );
});

test('AIT', () => {
  const plan = { organizationId: 0x11, applicationId: 0x22, base: 'http://a.example/', path: 'b' };
  expect(body(aitSection(plan))).toBe(
    octets(`
      74 F03C 0011 C3 00 00 // no test, application_type HTML5
      F000 F02F             // no common descriptors, applications
      00000011 0022 01 F026 // organization, application, AUTOSTART
      00 09 05 0000 01 00 00 FF 01 01 // application: profile 0, 1.0.0; bound, visible; priority, label
      02 16 0003 01 11 687474703A2F2F612E6578616D706C652F 00 // HTTP, label, base, no extensions
      15 01 62              // initial path
    `),
  );
});

test('SDTT of a new program for receivers', () => {
  const at = broadcastMs(Date.UTC(2026, 10, 20, 12));
  const section = receiverSdtt(terrestrial, at);
  const text = section.subarray(-4 - 20, -4);
  expect(body(section)).toBe(
    octets(`
      C3 F054 7E01 D1 00 00 // maker and model, version 8: another one each day
      7F61 7F61 2408        // stream, network, service
      01                    // one content
      0 FFF                 // group 0, all versions
      00C 0                 // new_version 12; as the viewer likes, all versions
      03C F 010 0           // content_description_length, schedule_description_length, no time shift
      EFB5 040000 010000    // 2026-11-21 04:00, an hour
      EFB6 040000 010000
      C9 2A                 // download content
      8F                    // reboot; no compatibility, no modules; text
      00400000 00010001 00007530 // octets, download_id, time_out_value_DII
      0001F7                // leak_rate 22, reserved 2
      50 00                 // component_tag, no private data
      6A706E 14 ${text.toHex()} // in Japanese
    `),
  );
});

test('logo transmission descriptors', () => {
  expect(logoInCdt(0x101, 0x002, 0x3456).toHex()).toBe(octets('CF 07 01 FF01 F002 3456'));
  expect(logoShared(0x101).toHex()).toBe(octets('CF 03 02 FF01'));
});

test('a module of two blocks and the list that names it', () => {
  const bytes = Uint8Array.from({ length: 4_067 }, (_, at) => at & 0xff);
  const module = { id: 5, version: 0x21, bytes, info: moduleName('LOGO-05') };
  const packed = { id: 6, version: 1, bytes: bytes.subarray(0, 1), info: moduleCompression(9) };
  const list = diiSection({ downloadId: 0xffff_ffff, transaction: 0x1_0002, modules: [module, packed] });
  expect(body(list)).toBe(
    octets(`
      3B F04B 0002 C1 00 00 // low half of transactionId, version 0
      11 03 1002 80010002 FF 00 0036 // download, DII, transactionId 10…; no adaptation; messageLength
      FFFFFFFF 0FE2 00 00   // downloadId, blockSize 4066, windowSize, ackPeriod
      00000000 00000000     // tCDownloadWindow, tCDownloadScenario
      0000 0002             // no compatibilityDescriptor, two modules
      0005 00000FE3 21 09 02 07 4C4F474F2D3035 // id, size, version; Name
      0006 00000001 01 07 C2 05 00 00000009    // zlib, original size
      0000                  // no privateData
    `),
  );
  const [first, second] = ddbSections(0xffff_ffff, module);
  // table_id_extension is the module, version its low five bits, section_number the block.
  expect(first?.subarray(0, 26).toHex()).toBe(
    octets('3C FFFD 0005 C3 00 01 11 03 1003 FFFFFFFF FF 00 0FE8 0005 21 FF 0000'),
  );
  expect(body(second ?? new Uint8Array(0))).toBe(
    octets('3C F01C 0005 C3 01 01 11 03 1003 FFFFFFFF FF 00 0007 0005 21 FF 0001 E2'),
  );
});
