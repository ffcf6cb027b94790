/** The outputs and readers that a reception worker offers. A new kind is one file and one row here. */
import { captionReader } from './caption-reader.ts';
import { clockOutput } from './clock-output.ts';
import { dataReader } from './data-reader.ts';
import { encoderOutput } from './encoder-output.ts';
import { fileOutputWith, type SyncFile } from './file-output.ts';
import { guideReader } from './guide-reader.ts';
import { logoReader } from './logo-reader.ts';
import type { AnyOutputKind } from './output-kind.ts';
import { rawOutput } from './raw-output.ts';
import type { AnyReaderKind } from './reader-kind.ts';
import { scanReader } from './scan-reader.ts';
import { stillReader } from './still-reader.ts';

export interface ReceptionKinds {
  outputs: readonly AnyOutputKind[];
  readers: readonly AnyReaderKind[];
}

/** @param syncFile fsync in a thread of its own (`FileSyncer`) */
export function receptionKinds(syncFile: SyncFile | undefined): ReceptionKinds {
  return {
    outputs: [fileOutputWith(syncFile), encoderOutput, rawOutput, clockOutput],
    readers: [guideReader, scanReader, logoReader, captionReader, dataReader, stillReader],
  };
}
