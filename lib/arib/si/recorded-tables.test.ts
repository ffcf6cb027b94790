/**
 * Recorded sections of a terrestrial station, compared with TSDuck field by field: our result is written in its XML
 * and compared line by line.
 */
import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { recordedSections } from '../../../test/recorded-sections.ts';
import { type Descriptor, findDescriptor } from '../descriptor/index.ts';
import { pid } from '../ids.ts';
import { decodeText } from '../text/text.ts';
import type { BroadcastMs } from '../time.ts';
import { PacketFramer } from '../ts/framer.ts';
import { type Section, SectionDemux } from '../ts/section.ts';
import { parseEit } from './eit.ts';
import { parseBit, parseNit, parseSdt } from './service-tables.ts';

const FOLDER = '../shared/samples/tables';

/** Lines of TSDuck's output without a counterpart here: packet positions, fields of other standards. */
const LEFT_OUT = /<metadata .*?\/>| (preferred_section|stream_content_ext)=".*?"/gs;

/** Intended differences of texts: line breaks are kept, 1-61 is U+2212 as in JIS X 0208. */
function asTheirs(text: string): string {
  return text.replaceAll('\n', '').replaceAll('−', '－');
}

function hex(value: number, digits = 4): string {
  return `0x${value.toString(16).toUpperCase().padStart(digits, '0')}`;
}

function jst(at: BroadcastMs | undefined): string {
  if (at === undefined) return 'undefined';
  return new Date(at + 9 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ');
}

function clock(seconds: number | undefined): string {
  return new Date((seconds ?? 0) * 1000).toISOString().slice(11, 19);
}

function element(name: string, attributes: Record<string, unknown>, content: string[] = []): string {
  const text = Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${value}"`)
    .join('');
  return content.length === 0 ? `<${name}${text}/>` : `<${name}${text}>${content.join('')}</${name}>`;
}

function xmlOf(d: Descriptor): string {
  switch (d.kind) {
    case 'network_name':
      return element('network_name_descriptor', { network_name: asTheirs(d.name) });
    case 'system_management':
      return element('system_management_descriptor', {
        broadcasting_flag: d.broadcastingFlag,
        broadcasting_identifier: hex(d.broadcastingIdentifier, 2),
        additional_broadcasting_identification: hex(d.additionalId, 2),
      });
    case 'service_list':
      return element(
        'service_list_descriptor',
        {},
        d.services.map((each) =>
          element('service', { service_id: hex(each.serviceId), service_type: hex(each.serviceType, 2) }),
        ),
      );
    case 'terrestrial_delivery':
      return element(
        'ISDB_terrestrial_delivery_system_descriptor',
        {
          area_code: hex(d.areaCode),
          guard_interval: `1/${1 / d.guardInterval}`,
          transmission_mode: d.mode === 3 ? '8k' : '?',
        },
        d.frequencies.map((value) => element('frequency', { value: value.toLocaleString('en-US') })),
      );
    case 'partial_reception':
      return element(
        'partial_reception_descriptor',
        {},
        d.serviceIds.map((id) => element('service', { id: hex(id) })),
      );
    case 'ts_information':
      return element(
        'TS_information_descriptor',
        { remote_control_key_id: hex(d.remoteControlKeyId, 2), ts_name: asTheirs(d.name) },
        d.transmissions.map((each) =>
          element(
            'transmission_type',
            { transmission_type_info: hex(each.info, 2) },
            each.serviceIds.map((id) => element('service', { id: hex(id) })),
          ),
        ),
      );
    case 'service':
      return element('service_descriptor', {
        service_type: hex(d.serviceType, 2),
        service_provider_name: asTheirs(d.providerName),
        service_name: asTheirs(d.name),
      });
    default:
      return eventXmlOf(d);
  }
}

function eventXmlOf(d: Descriptor): string {
  switch (d.kind) {
    case 'digital_copy_control':
      return element('digital_copy_control_descriptor', {
        digital_recording_control_data: d.recordingControl,
        user_defined: d.copyControlType * 4 + d.analogueProtection,
      });
    case 'logo_transmission':
      if (d.type === 'unknown') return '';
      return element('logo_transmission_descriptor', {
        logo_transmission_type: hex(d.type, 2),
        ...(d.type === 3 ? { logo_char: asTheirs(d.text) } : { logo_id: hex(d.logoId) }),
        ...(d.type === 1
          ? { logo_version: hex(d.logoVersion), download_data_id: hex(d.downloadDataId) }
          : {}),
      });
    case 'short_event':
      return element('short_event_descriptor', { language_code: d.language }, [
        `<event_name>${asTheirs(d.name)}</event_name>`,
        `<text>${asTheirs(d.text)}</text>`,
      ]);
    case 'extended_event':
      return element(
        'extended_event_descriptor',
        {
          descriptor_number: d.number,
          last_descriptor_number: d.lastNumber,
          language_code: d.language,
        },
        [
          `<text>${decodeText(d.text)}</text>`,
          ...d.items.map(({ heading, body }) =>
            element('item', {}, [
              `<description>${asTheirs(decodeText(heading))}</description>`,
              `<name>${asTheirs(decodeText(body))}</name>`,
            ]),
          ),
        ],
      );
    case 'component':
      return element('component_descriptor', {
        stream_content: hex(d.streamContent, 2),
        component_type: hex(d.componentType, 2),
        component_tag: hex(d.componentTag, 2),
        language_code: d.language,
        text: asTheirs(d.text),
      });
    case 'content':
      return element(
        'content_descriptor',
        {},
        d.genres.map((each) =>
          element('content', {
            content_nibble_level_1: each.lv1,
            content_nibble_level_2: each.lv2,
            user_byte: hex(each.user1 * 16 + each.user2, 2),
          }),
        ),
      );
    case 'audio_component':
      return element('audio_component_descriptor', {
        stream_content: hex(d.streamContent, 2),
        component_type: hex(d.componentType, 2),
        component_tag: hex(d.componentTag, 2),
        stream_type: hex(d.streamType, 2),
        main_component: d.main,
        quality_indicator: d.quality,
        sampling_rate: d.samplingRate === 48_000 ? 7 : '?',
        ISO_639_language_code: d.language,
        ...(d.language2 === undefined ? {} : { ISO_639_language_code_2: d.language2 }),
        text: asTheirs(d.text),
      });
    case 'data_content':
      return element(
        'data_content_descriptor',
        {
          data_component_id: hex(d.dataComponentId),
          entry_component: hex(d.entryComponent, 2),
          ISO_639_language_code: d.language,
          text: asTheirs(d.text),
        },
        [
          element('selector_bytes', {}, [`<hex>${d.selector.toHex()}</hex>`]),
          ...d.components.map((tag) => element('component', { ref: hex(tag, 2) })),
        ],
      );
    case 'event_group':
      return element(
        'event_group_descriptor',
        { group_type: d.group === 'shared' ? 1 : '?' },
        d.events.map((each) =>
          element('actual', { service_id: hex(each.serviceId), event_id: hex(each.eventId) }),
        ),
      );
    default:
      return '';
  }
}

function xmlOfSection(section: Section): string {
  const header = { version: section.version, current: section.current };
  const nit = parseNit(section);
  if (nit !== undefined) {
    return element('NIT', { ...header, network_id: hex(nit.networkId), actual: nit.actual }, [
      ...nit.descriptors.map(xmlOf),
      ...nit.transportStreams.map((stream) =>
        element(
          'transport_stream',
          {
            transport_stream_id: hex(stream.transportStreamId),
            original_network_id: hex(stream.originalNetworkId),
          },
          stream.descriptors.map(xmlOf),
        ),
      ),
    ]);
  }
  const sdt = parseSdt(section);
  if (sdt === undefined) return '';
  const ids = {
    transport_stream_id: hex(sdt.transportStreamId),
    original_network_id: hex(sdt.originalNetworkId),
    actual: sdt.actual,
  };
  return element(
    'SDT',
    { ...header, ...ids },
    sdt.services.map((service) =>
      element(
        'service',
        {
          service_id: hex(service.serviceId),
          EIT_schedule: service.hasSchedule,
          EIT_present_following: service.hasPresentFollowing,
          CA_mode: service.pay,
          running_status: service.runningStatus === 0 ? 'undefined' : '?',
        },
        service.descriptors.map(xmlOf),
      ),
    ),
  );
}

/** The present and the following event are one table in TSDuck's output. */
function xmlOfEits(sections: readonly Section[]): string[] {
  const tables = new Map<string, string[]>();
  for (const section of sections) {
    const eit = parseEit(section);
    if (eit === undefined) continue;
    const head = element('EIT', {
      type: 'pf',
      version: eit.version,
      current: section.current,
      actual: eit.actual,
      service_id: hex(eit.serviceId),
      transport_stream_id: hex(eit.transportStreamId),
      original_network_id: hex(eit.originalNetworkId),
      last_table_id: hex(eit.lastTableId, 2),
    }).replace('/>', '>');
    const events = eit.events.map((event) =>
      element(
        'event',
        {
          event_id: hex(event.eventId),
          start_time: jst(event.startAt),
          duration: clock(event.duration),
          running_status: event.runningStatus === 0 ? 'undefined' : '?',
          CA_mode: event.pay,
        },
        event.descriptors.map(xmlOf),
      ),
    );
    tables.set(head, [...(tables.get(head) ?? []), ...events]);
  }
  return Array.from(tables, ([head, events]) => `${head}${events.join('')}</EIT>`);
}

test.skipIf(!existsSync(FOLDER))('NIT, SDT and EIT are read as TSDuck reads them', async () => {
  const sections = recordedSections(await Bun.file(`${FOLDER}/test-062.tstables.bin`).bytes());
  expect(sections.length).toBe(12);
  const theirs = (await Bun.file(`${FOLDER}/test-062.tstables.xml`).text()).replace(LEFT_OUT, '');
  const tables = theirs.match(/<(NIT|SDT|EIT) .*?<\/\1>/gs) ?? [];
  const expected = tables.map((table) =>
    table
      .replace(/<selector_bytes>([\s0-9A-F]+)<\/selector_bytes>/g, (_, hex: string) =>
        element('selector_bytes', {}, [`<hex>${hex.replace(/\s/g, '').toLowerCase()}</hex>`]),
      )
      .replace(/>\s+</g, '><'),
  );
  expect(expected.length).toBe(4);
  const ours = [...xmlOfEits(sections), ...sections.map(xmlOfSection).filter((xml) => xml !== '')];
  expect(ours.sort()).toEqual(expected.sort());
});

test.skipIf(!existsSync(FOLDER))(
  'a BIT is read as TSDuck reads it; an invalid section beside it is dropped',
  async () => {
    const demux = new SectionDemux([pid(0x24), pid(0x195c)]);
    const packets = new PacketFramer().feed(await Bun.file(`${FOLDER}/test-181.ts`).bytes());
    const bits = demux.feed(packets).map(parseBit);
    const [bit] = bits.filter((each) => each !== undefined);
    if (bit === undefined) throw new Error('no BIT');
    expect([bit.originalNetworkId, bit.version, bit.showsBroadcasters]).toEqual([0x7e93, 16, true]);
    const network = findDescriptor(bit.descriptors, 'si_parameter');
    expect([network?.parameterVersion, jst(network?.updateDate)]).toEqual([255, '2003-11-01 00:00:00']);
    const television = { mediaType: 1, pattern: 0, other: true, days: 8, baseCycle: 60 };
    const data = { mediaType: 3, pattern: 0, other: true, days: 2, baseCycle: 60 };
    expect(network?.tables as unknown).toEqual([
      { kind: 'cycle', tableId: 0x40, cycle: 1 },
      { kind: 'cycle', tableId: 0xc4, cycle: 1 },
      { kind: 'cycle', tableId: 0x42, cycle: 2 },
      {
        kind: 'present-following',
        tableId: 0x4e,
        hCycle: 1,
        mCycle: 1,
        lCycle: 1,
        mEvents: 2,
        lEvents: 2,
      },
      {
        kind: 'schedule',
        tableId: 0x50,
        media: [
          {
            ...television,
            groups: [
              { segments: 3, cycle: 3 },
              { segments: 13, cycle: 10 },
            ],
          },
          { ...data, groups: [{ segments: 0, cycle: 3 }] },
        ],
      },
    ]);
    expect(bit.broadcasters.map((each) => each.broadcasterId)).toEqual([255]);
    const own = bit.broadcasters[0]?.descriptors ?? [];
    expect(own.map((each) => each.kind)).toEqual(['si_parameter', 'extended_broadcaster']);
    expect(findDescriptor(own, 'extended_broadcaster')).toMatchObject({
      type: 'television',
      broadcasterId: 0x7e93,
      affiliations: [3],
      broadcasters: [],
    });
    expect(findDescriptor(own, 'si_parameter')?.tables.map((each) => each.tableId)).toEqual([
      0x4e, 0x58, 0xc3, 0xc8,
    ]);
  },
);
