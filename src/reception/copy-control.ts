/** Copy control of the current programme, from the station's PMT. ARIB TR-B14 Vol. 4, TR-B15 Vol. 4. */
import { forbidsRecording } from '../../arib/descriptor/digital-copy-control.ts';
import { type Descriptor, findDescriptor } from '../../arib/descriptor/index.ts';
import type { ProgramMap } from '../../arib/ts/pmt.ts';
import { layoutOf } from './station-layout.ts';

/**
 * Whether recording the programme, its video or its main audio is forbidden, in either loop of the PMT or in the
 * component list of a descriptor. A stream's own descriptor takes precedence over the programme's.
 */
export function forbidsCopying(map: ProgramMap): boolean {
  const common = findDescriptor(map.descriptors, 'digital_copy_control');
  const { video, audios } = layoutOf(map);
  const main = map.streams.filter(({ pid }) => pid === video?.pid || pid === audios[0]);
  const words = main.map(({ descriptors, componentTag }) => {
    const own = ownWord(descriptors) ?? common?.components.find((one) => one.componentTag === componentTag);
    return own ?? common;
  });
  const relevant = words.length > 0 ? words : [common];
  return relevant.some((word) => word !== undefined && forbidsRecording(word));
}

function ownWord(descriptors: readonly Descriptor[]) {
  return findDescriptor(descriptors, 'digital_copy_control');
}
