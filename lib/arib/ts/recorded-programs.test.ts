/**
 * Recorded PAT, CAT and PMT of a terrestrial station, compared with TSDuck field by field: our result is written in
 * its XML and compared.
 */
import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { recordedSections } from '../../../test/recorded-sections.ts';
import type { Descriptor } from '../descriptor/index.ts';
import { parsePat } from './pat.ts';
import { parsePmt } from './pmt.ts';
import type { Section } from './section.ts';

const FOLDER = '../shared/samples/tables';
const FORMATS = ['1080p', '1080i', '720p', '480p', '480i', '240p', '120p'];
const NO_PID = 0x1fff;

function hex(value: number, digits = 4): string {
  return `0x${value.toString(16).toUpperCase().padStart(digits, '0')}`;
}

function element(name: string, attributes: Record<string, unknown>, content: string[] = []): string {
  const text = Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${value}"`)
    .join('');
  return content.length === 0 ? `<${name}${text}/>` : `<${name}${text}>${content.join('')}</${name}>`;
}

/** Octets as an element's content; no element if there are none. */
function octets(name: string, data: Uint8Array): string[] {
  return data.length === 0 ? [] : [`<${name}>${data.toHex().toUpperCase()}</${name}>`];
}

function xmlOf(d: Descriptor): string {
  switch (d.kind) {
    case 'conditional_access':
      return element(
        'CA_descriptor',
        { CA_system_id: hex(d.caSystemId), CA_PID: hex(d.pid) },
        octets('private_data', d.privateData),
      );
    case 'access_control':
      return element(
        'ISDB_access_control_descriptor',
        { CA_system_id: hex(d.caSystemId), transmission_type: d.transmissionType, PID: hex(d.pid) },
        octets('private_data', d.privateData),
      );
    case 'digital_copy_control':
      return element('digital_copy_control_descriptor', {
        digital_recording_control_data: d.recordingControl,
        user_defined: d.copyControlType * 4 + d.analogueProtection,
      });
    case 'stream_identifier':
      return element('stream_identifier_descriptor', { component_tag: hex(d.componentTag, 2) });
    case 'video_decode_control':
      return element('video_decode_control_descriptor', {
        still_picture: d.stillPicture,
        sequence_end_code: d.sequenceEnd,
        video_encode_format: FORMATS.indexOf(d.format ?? ''),
      });
    case 'data_component':
      return element(
        'data_component_descriptor',
        { data_component_id: hex(d.dataComponentId) },
        octets('additional_data_component_info', d.additionalInfo),
      );
    default:
      return `<${d.kind}/>`;
  }
}

function xmlOfSection(section: Section): string {
  const { version, current } = section;
  const pat = parsePat(section);
  if (pat !== undefined) {
    return element(
      'PAT',
      {
        version,
        current,
        transport_stream_id: hex(pat.transportStreamId),
        network_PID: hex(pat.networkPid ?? 0),
      },
      pat.programs.map((each) =>
        element('service', { service_id: hex(each.programNumber), program_map_PID: hex(each.pid) }),
      ),
    );
  }
  const pmt = parsePmt(section);
  if (pmt === undefined) return '';
  const pcr = pmt.pcrPid === NO_PID ? {} : { PCR_PID: hex(pmt.pcrPid) };
  return element('PMT', { version, current, service_id: hex(pmt.programNumber), ...pcr }, [
    ...pmt.descriptors.map(xmlOf),
    ...pmt.streams.map((stream) =>
      element(
        'component',
        { elementary_PID: hex(stream.pid), stream_type: hex(stream.streamType, 2) },
        stream.descriptors.map(xmlOf),
      ),
    ),
  ]);
}

test.skipIf(!existsSync(FOLDER))('PAT and PMT are read as TSDuck reads them', async () => {
  const sections = recordedSections(await Bun.file(`${FOLDER}/test-062.tstables.bin`).bytes());
  const theirs = (await Bun.file(`${FOLDER}/test-062.tstables.xml`).text()).replace(/<metadata .*?\/>/g, '');
  const expected = (theirs.match(/<(PAT|PMT) .*?<\/\1>/gs) ?? []).map((table) =>
    table.replace(/>[\s0-9A-F]+</g, (between) => between.replace(/\s/g, '')),
  );
  expect(expected.length).toBe(5);
  const ours = sections.map(xmlOfSection).filter((xml) => xml !== '');
  expect(ours.sort()).toEqual(expected.sort());
});
