/** The audio choices of a programme, from the audio components that the guide declares. */
import type { AudioOption } from '../../lib/wire/api.ts';
import { LANGUAGE_NAMES } from '../../lib/wire/languages.ts';

/** Audio component descriptor, ARIB STD-B10 Part 2, 6.2.26. */
export interface AudioComponent {
  /** 0x10 is the default stream; streams are numbered by ascending tag (ARIB TR-B14). */
  componentTag: number;
  /** 2 dual mono (1/0 + 1/0), 3 stereo, … (Table 6-43). */
  componentType: number;
  /** main_component_flag. */
  main: boolean;
  /** ISO 639-2 codes; dual mono may have two. */
  languages: string[];
  text: string;
}

/** Checks a component of a row that may be damaged. */
export function isAudioComponent({ languages, text }: Partial<AudioComponent>): boolean {
  return Array.isArray(languages) && typeof text === 'string';
}

const DUAL_MONO = 0x02;

/** Offered if the guide has no audio components. */
const UNDECLARED: AudioOption = { id: '0:both', stream: 0, side: 'both', label: '主音声' };

/** `etc` and unknown codes do not identify a language for users. */
function languageLabel(code: string | undefined): string {
  return code === undefined ? '' : (LANGUAGE_NAMES[code.toLowerCase()] ?? '');
}

function join(role: string, detail: string): string {
  return detail === '' || detail === role ? role : `${role}（${detail}）`;
}

function dualMonoOptions(component: AudioComponent, stream: number): AudioOption[] {
  // The text of a dual-mono stream may have one line for each side.
  const [mainText = '', subText = ''] = component.text.split(/[\r\n]+/).map((line) => line.trim());
  const named = subText !== '';
  const [first, second] = component.languages;
  const main = named ? mainText : languageLabel(first);
  const sub = named ? subText : languageLabel(second);
  const prefix = stream === 0 ? '' : `音声${stream + 1} `;
  return [
    {
      id: `${stream}:main`,
      stream,
      side: 'main',
      label: `${prefix}${join('主音声', main)}`,
      ...(component.main ? { main: true as const } : {}),
    },
    { id: `${stream}:sub`, stream, side: 'sub', label: `${prefix}${join('副音声', sub)}` },
    { id: `${stream}:both`, stream, side: 'both', label: `${prefix}主音声＋副音声` },
  ];
}

function streamOption(component: AudioComponent, stream: number, alone: boolean): AudioOption {
  const text = component.text.replace(/[\r\n]+/g, ' ').trim();
  const detail = text === '' ? languageLabel(component.languages[0]) : text;
  const role = alone || component.main || stream === 0 ? '主音声' : '副音声';
  return {
    id: `${stream}:both`,
    stream,
    side: 'both',
    label: join(role, detail),
    ...(component.main ? { main: true as const } : {}),
  };
}

/**
 * The options in the order of the streams, at least one, always including `0:both`. Components that repeat a tag
 * count once. `main` is only set for the declared main component, and for one side of dual mono.
 */
export function audioOptions(components: readonly AudioComponent[]): AudioOption[] {
  const byTag = new Map<number, AudioComponent>();
  for (const component of components) {
    if (!byTag.has(component.componentTag)) byTag.set(component.componentTag, component);
  }
  const ordered = [...byTag.values()].sort((a, b) => a.componentTag - b.componentTag);
  if (ordered.length === 0) return [{ ...UNDECLARED }];
  return ordered.flatMap((component, stream) =>
    component.componentType === DUAL_MONO
      ? dualMonoOptions(component, stream)
      : [streamOption(component, stream, ordered.length === 1)],
  );
}
