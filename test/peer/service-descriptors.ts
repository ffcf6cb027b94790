/** Normalises descriptors of stations, data and conditional access, like `descriptors.ts` those of events. */
import type { Descriptor } from '../../lib/arib/descriptor/index.ts';
import type { LogoTransmissionDescriptor } from '../../lib/arib/descriptor/services.ts';
import { type PeerRecord, peerOctets, peerText, records, type Written } from './record.ts';

/** The peer reads only the first byte of data_component_id. */
function dataComponentId(descriptor: PeerRecord): Written {
  const info = peerOctets(descriptor.additional_data_component_info);
  const id = Number(descriptor.data_component_id) * 0x100 + Number.parseInt(info.slice(0, 2), 16);
  return { tag: 0xfd, id, info: info.slice(2) };
}

export function writePeersOfService(d: PeerRecord): Written {
  const tag = Number(d.descriptor_tag);
  switch (tag) {
    case 0x09:
      return { tag, system: d.CA_system_ID, pid: d.CA_PID, data: peerOctets(d.private_data_byte) };
    case 0xf6:
      return {
        ...{ tag, system: d.CA_system_id, type: d.transmission_type },
        ...{ pid: d.PID, data: peerOctets(d.private_data_byte) },
      };
    case 0xcb:
      return {
        ...{ tag, system: d.CA_system_id, unit: d.CA_unit_id },
        components: records(d.components).map((each) => each.component_tag),
        ...{ verification: peerOctets(d.contract_verification_info), fee: peerText(d.fee_name) },
      };
    case 0xcc:
      return {
        ...{ tag, system: d.CA_system_id, group: d.ca_broadcaster_group_id, message: d.message_control },
        services: records(d.services).map((each) => each.service_id),
      };
    case 0xcf:
      return {
        ...{ tag, type: d.logo_transmission_type, logo: d.logo_id, version: d.logo_version },
        ...{ download: d.download_data_id, text: d.logo_char ? peerText(d.logo_char) : undefined },
      };
    case 0xc9:
      return {
        ...{ tag, reboot: d.reboot, addOn: d.add_on, size: d.component_size, id: d.download_id },
        ...{ timeout: d.time_out_value_DII, leak: d.leak_rate, component: d.component_tag },
        modules: records(d.modules).map((each) => [each.module_id, each.module_size]),
        ...{ data: peerOctets(d.private_data_byte), text: d.text_char ? peerText(d.text_char) : undefined },
      };
    case 0xfd:
      return dataComponentId(d);
    default:
      return { tag };
  }
}

function writeLogo(d: LogoTransmissionDescriptor): Written {
  const tag = 0xcf;
  const unknown = { logo: undefined, version: undefined, download: undefined, text: undefined };
  switch (d.type) {
    case 1:
      return {
        ...{ ...unknown, tag, type: 1, logo: d.logoId },
        ...{ version: d.logoVersion, download: d.downloadDataId },
      };
    case 2:
      return { ...unknown, tag, type: 2, logo: d.logoId };
    case 3:
      return { ...unknown, tag, type: 3, text: d.text };
    default:
      return { ...unknown, tag, type: d.transmissionType };
  }
}

export function writeOursOfService(d: Descriptor): Written {
  switch (d.kind) {
    case 'conditional_access':
      return { tag: 0x09, system: d.caSystemId, pid: d.pid, data: d.privateData.toHex() };
    case 'access_control':
      return {
        ...{ tag: 0xf6, system: d.caSystemId, type: d.transmissionType },
        ...{ pid: d.pid, data: d.privateData.toHex() },
      };
    case 'ca_contract_info':
      return {
        ...{ tag: 0xcb, system: d.caSystemId, unit: d.caUnitId, components: d.components },
        ...{ verification: d.verificationInfo.toHex(), fee: d.fee },
      };
    case 'ca_service':
      return {
        ...{ tag: 0xcc, system: d.caSystemId, group: d.broadcasterGroupId },
        ...{ message: d.messageControl, services: d.serviceIds },
      };
    case 'logo_transmission':
      return writeLogo(d);
    case 'download_content':
      return {
        ...{ tag: 0xc9, reboot: Number(d.reboot), addOn: Number(d.addOn), size: d.componentSize },
        ...{ id: d.downloadId, timeout: d.diiTimeout, leak: d.leakRate, component: d.componentTag },
        modules: d.modules.map((each) => [each.id, each.size]),
        ...{ data: d.privateData.toHex(), text: d.text?.text },
      };
    case 'data_component':
      return { tag: 0xfd, id: d.dataComponentId, info: d.additionalInfo.toHex() };
    case 'application_signalling':
      // The peer only reads its tag.
      return { tag: 0x6f };
    default:
      throw new Error(`a descriptor that this test does not compare yet: ${d.kind}`);
  }
}
