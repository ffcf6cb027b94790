/** Applications of the sections of an AIT. ETSI TS 102 809, 5.3; IPTVFJ STD-0010. */
import {
  type ApplicationTableDescriptor,
  readApplicationDescriptors,
} from '../descriptor/application-table.ts';
import { Reader } from '../reader.ts';
import type { Section } from '../ts/section.ts';
import {
  type ApplicationBoundary,
  boundedBoundaries,
  boundedName,
  boundedUrl,
  CONTROL_CODES,
  type ControlCode,
  type ControlledApplication,
  MAX_APPLICATIONS,
} from './application.ts';

/** A section of the application information table. ETSI TS 102 809, 5.3.4; ARIB STD-B24 Vol. 4. */
interface Ait {
  /** test_application_flag: not intended for viewers. */
  readonly test: boolean;
  /** application_type, 15 bits: 0x0010 or 0x0011 HTML5 applications. */
  readonly applicationType: number;
  readonly version: number;
  readonly sectionNumber: number;
  readonly lastSectionNumber: number;
  readonly descriptors: readonly ApplicationTableDescriptor[];
  readonly applications: readonly Application[];
}

interface Application {
  /** organisation_id, 32 bits. */
  readonly organizationId: number;
  readonly applicationId: number;
  readonly control: ControlCode;
  /** application_control_code as sent. */
  readonly controlCode: number;
  readonly descriptors: readonly ApplicationTableDescriptor[];
}

export const AIT_TABLE_ID = 0x74;

/** Undefined if the section is not an AIT, is not current yet, or has a wrong length. */
export function parseAit(section: Section): Ait | undefined {
  if (section.tableId !== AIT_TABLE_ID || !section.long || !section.current) return undefined;
  const r = new Reader(section.body);
  // reserved 4, common_descriptors_length 12
  const descriptors = readApplicationDescriptors(r.slice(r.length12()));
  // reserved 4, application_loop_length 12
  const loop = r.slice(r.length12());
  const applications: Application[] = [];
  while (loop.remaining > 0) {
    const organizationId = loop.u32();
    const applicationId = loop.u16();
    const controlCode = loop.u8();
    applications.push({
      organizationId,
      applicationId,
      control: CONTROL_CODES[controlCode - 1] ?? 'unknown',
      controlCode,
      // reserved 4, application_descriptors_loop_length 12
      descriptors: readApplicationDescriptors(loop.slice(loop.length12())),
    });
  }
  if (r.exhausted || loop.exhausted) return undefined;
  return {
    test: section.extension >= 0x8000,
    applicationType: section.extension & 0x7fff,
    version: section.version,
    sectionNumber: section.number,
    lastSectionNumber: section.lastNumber,
    descriptors,
    applications,
  };
}

/** application_type of HTML5 applications: of terrestrial and of advanced satellite broadcasting. */
export const HTML5_TYPES: readonly number[] = [0x0010, 0x0011];

type Kind = ApplicationTableDescriptor['kind'];
type Of<K extends Kind> = Extract<ApplicationTableDescriptor, { kind: K }>;

const allOf = <K extends Kind>(descriptors: readonly ApplicationTableDescriptor[], kind: K): Of<K>[] =>
  descriptors.filter((descriptor): descriptor is Of<K> => descriptor.kind === kind);

/** URL bases of the labels that the application names, in its order of preference. */
function basesOf(
  own: readonly ApplicationTableDescriptor[],
  all: readonly ApplicationTableDescriptor[],
): string[] {
  const labels = allOf(own, 'application').flatMap(({ transportLabels }) => transportLabels);
  const transports = allOf(all, 'transport_protocol');
  return labels.flatMap((wanted) =>
    transports.flatMap(({ label, transport }) =>
      label === wanted && transport.protocol === 'http' ? transport.urls.map(({ base }) => base) : [],
    ),
  );
}

function boundariesOf(
  own: readonly ApplicationTableDescriptor[],
): readonly ApplicationBoundary[] | undefined {
  return boundedBoundaries([
    ...allOf(own, 'simple_application_boundary').map(({ urls }) => ({ bitmaps: null, urls })),
    ...allOf(own, 'application_boundary_and_permission').flatMap(({ permissions }) => permissions),
  ]);
}

function nameOf(own: readonly ApplicationTableDescriptor[]): string | null {
  const names = allOf(own, 'application_name').flatMap((descriptor) => descriptor.names);
  const chosen = names.find(({ language }) => language === 'jpn') ?? names[0];
  return boundedName(chosen?.name ?? '');
}

/**
 * HTML5 applications in the order of the table; none of a table for tests.
 * @param sections of one version, in their order
 */
export function applicationsOf(sections: readonly Ait[]): ControlledApplication[] {
  const applications = sections.flatMap(({ test, applicationType, descriptors, applications: listed }) =>
    test || !HTML5_TYPES.includes(applicationType)
      ? []
      : listed.slice(0, MAX_APPLICATIONS).map((application): ControlledApplication => {
          const own = application.descriptors;
          const [base = ''] = basesOf(own, [...descriptors, ...own]);
          const boundaries = boundariesOf(own);
          const [location] = allOf(own, 'simple_application_location');
          return {
            organizationId: application.organizationId,
            applicationId: application.applicationId,
            control: application.control,
            name: nameOf(own),
            url: base === '' || boundaries === undefined ? null : boundedUrl(base + (location?.path ?? '')),
            boundaries: boundaries ?? [],
            autostartPriority: allOf(own, 'autostart_priority')[0]?.priority ?? null,
          };
        }),
  );
  return applications.slice(0, MAX_APPLICATIONS);
}
