/** Descriptors of conditional access and copy control. */
import type { Pid, ServiceId } from '../ids.ts';
import type { Reader } from '../reader.ts';
import { readText } from '../text/text.ts';

/** Conditional access descriptor, tag 0x09. ISO/IEC 13818-1 2.6.16; ARIB STD-B25 Part 1. */
interface ConditionalAccessDescriptor {
  readonly kind: 'conditional_access';
  /** CA_system_id, 16 bits: 0x0005 for B-CAS. */
  readonly caSystemId: number;
  /** PID of the ECM (in a PMT) or of the EMM (in a CAT); 0x1fff = none. */
  readonly pid: Pid;
  readonly privateData: Uint8Array;
}

export function parseConditionalAccess(r: Reader): ConditionalAccessDescriptor {
  return { kind: 'conditional_access', caSystemId: r.u16(), pid: r.pid(), privateData: r.rest() };
}

/**
 * Access control descriptor, tag 0xF6, of the terrestrial content protection. ARIB STD-B10 Part 2, 6.2.54;
 * TR-B14 Vol. 4.
 */
interface AccessControlDescriptor {
  readonly kind: 'access_control';
  /** CA_system_id, 16 bits: 0x000E. */
  readonly caSystemId: number;
  /** transmission_type, 3 bits: 7 over the air. */
  readonly transmissionType: number;
  /** PID of the ECM (in a PMT) or of the EMM (in a CAT); 0x1fff = none. */
  readonly pid: Pid;
  readonly privateData: Uint8Array;
}

export function parseAccessControl(r: Reader): AccessControlDescriptor {
  const caSystemId = r.u16();
  // transmission_type 3, PID 13
  const tail = r.u16();
  return {
    kind: 'access_control',
    caSystemId,
    transmissionType: tail >> 13,
    pid: (tail & 0x1fff) as Pid,
    privateData: r.rest(),
  };
}

/**
 * CA contract info descriptor, tag 0xCB: whether components can be bought, and with which contract. ARIB STD-B25 Part
 * 1, 4.7.2.
 */
interface CaContractInfoDescriptor {
  readonly kind: 'ca_contract_info';
  readonly caSystemId: number;
  /** CA_unit_id, 4 bits: 1 the unit with which the event's default components are charged, 2 other ones. */
  readonly caUnitId: number;
  /** component_tags. */
  readonly components: readonly number[];
  /** contract_verification_info, for the card. */
  readonly verificationInfo: Uint8Array;
  /** The price, as text. */
  readonly fee: string;
}

export function parseCaContractInfo(r: Reader): CaContractInfoDescriptor {
  const caSystemId = r.u16();
  // CA_unit_id 4, num_of_component 4
  const unit = r.u8();
  return {
    kind: 'ca_contract_info',
    caSystemId,
    caUnitId: unit >> 4,
    components: [...r.take(unit & 0x0f)],
    verificationInfo: r.take(r.u8()),
    fee: readText(r, r.u8()),
  };
}

/** CA service descriptor, tag 0xCC: services on which automatic messages are shown. ARIB STD-B25 Part 1, 4.7.3. */
interface CaServiceDescriptor {
  readonly kind: 'ca_service';
  readonly caSystemId: number;
  readonly broadcasterGroupId: number;
  /** message_control: days of delay; 0xFF: none is shown yet. */
  readonly messageControl: number;
  readonly serviceIds: readonly ServiceId[];
}

export function parseCaService(r: Reader): CaServiceDescriptor {
  const caSystemId = r.u16();
  const broadcasterGroupId = r.u8();
  const messageControl = r.u8();
  const serviceIds: ServiceId[] = [];
  while (r.remaining > 0) serviceIds.push(r.u16() as ServiceId);
  return { kind: 'ca_service', caSystemId, broadcasterGroupId, messageControl, serviceIds };
}

/** Content availability descriptor, tag 0xDE, of a PMT. ARIB STD-B10 Part 2, 6.2.45; TR-B14, TR-B15 Vol. 4. */
interface ContentAvailabilityDescriptor {
  readonly kind: 'content_availability';
  /** copy_restriction_mode: "one generation" permits ten copies; otherwise one. */
  readonly tenCopies: boolean;
  /** image_constraint_token 0: analogue output of full resolution is forbidden. */
  readonly constrainsImage: boolean;
  /** retention_mode 0: content that must not be copied may be kept for `retention`. */
  readonly retentionAllowed: boolean;
  /** retention_state, 3 bits: 7 an hour and a half, down to 0 without limit. */
  readonly retention: number;
  /** encryption_mode 0: content that is free to copy is recorded encrypted. */
  readonly encrypted: boolean;
}

export function parseContentAvailability(r: Reader): ContentAvailabilityDescriptor {
  // reserved 1, copy_restriction_mode 1, image_constraint_token 1, retention_mode 1, retention_state 3,
  // encryption_mode 1
  const flags = r.u8();
  return {
    kind: 'content_availability',
    tenCopies: (flags & 0x40) !== 0,
    constrainsImage: (flags & 0x20) === 0,
    retentionAllowed: (flags & 0x10) === 0,
    retention: (flags >> 1) & 0x07,
    encrypted: (flags & 0x01) === 0,
  };
}

/** Digital copy control descriptor, tag 0xC1. ARIB STD-B10 Part 2, 6.2.23; TR-B14 Vol. 4, TR-B15. */
export interface DigitalCopyControlDescriptor extends CopyControl {
  readonly kind: 'digital_copy_control';
  /** Components whose control differs. */
  readonly components: readonly ComponentCopyControl[];
}

interface CopyControl {
  /** digital_recording_control_data, 2 bits: 0 free, 2 one generation, 3 never; 1 is not defined. */
  readonly recordingControl: number;
  /** copy_control_type, 2 bits: 1 encrypted digital output, 3 not encrypted; 0 and 2 are not defined. */
  readonly copyControlType: number;
  /** APS_control_data, 2 bits: protection of analogue output; meaningless for types 0 and 2. */
  readonly analogueProtection: number;
  /** Bits a second. */
  readonly maximumBitRate: number | undefined;
}

interface ComponentCopyControl extends CopyControl {
  readonly componentTag: number;
}

const BIT_RATE_UNIT = 250_000;

export function parseDigitalCopyControl(r: Reader): DigitalCopyControlDescriptor {
  const flags = r.u8();
  const control = copyControl(r, flags);
  const components: ComponentCopyControl[] = [];
  if ((flags & 0x10) !== 0) {
    const loop = r.slice(r.u8());
    while (loop.remaining > 0) {
      const componentTag = loop.u8();
      components.push({ componentTag, ...copyControl(loop, loop.u8()) });
    }
  }
  const { recordingControl, copyControlType, analogueProtection, maximumBitRate } = control;
  return {
    kind: 'digital_copy_control',
    recordingControl,
    copyControlType,
    analogueProtection,
    maximumBitRate,
    components,
  };
}

/** digital_recording_control_data 2, maximum_bit_rate_flag 1, (flag) 1, copy_control_type 2, APS 2, rate. */
function copyControl(r: Reader, flags: number): CopyControl {
  return {
    recordingControl: flags >> 6,
    copyControlType: (flags >> 2) & 0x03,
    analogueProtection: flags & 0x03,
    maximumBitRate: (flags & 0x20) !== 0 ? r.u8() * BIT_RATE_UNIT : undefined,
  };
}

/**
 * Whether recording is forbidden: "never copy" (3), and 1, which TR-B15 does not define and receivers refuse. The
 * copy control type is ignored, because one-segment services use undefined types.
 */
export function forbidsRecording(control: CopyControl): boolean {
  return control.recordingControl === 3 || control.recordingControl === 1;
}
