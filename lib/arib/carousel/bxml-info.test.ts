import { expect, test } from 'bun:test';
import { parseBxmlInfo } from './bxml-info.ts';

const GR = 0x000c;
const read = (hex: string, id = GR) => parseBxmlInfo(id, Uint8Array.fromHex(hex.replaceAll(' ', '')));
const CAROUSEL = {
  ...{ dataEventId: 15, eventSection: true, onDemandRetrieval: true, fileStorable: false, startPriority: 1 },
};

test('an entry point with its own version', () => {
  expect(read('33 3F 00 03 00 01 FF BF')).toEqual({
    transmissionFormat: 0,
    entryPoint: {
      ...{ autoStart: true, documentResolution: 3, useXml: false, independent: true, styleForTv: true },
      ...{ bmlMajorVersion: 3, bmlMinorVersion: 1 },
    },
    carousel: CAROUSEL,
  });
});

test('an entry point of the default version, and one in XML with a version of that', () => {
  const info = read('24 4F FF BF');
  expect(info?.entryPoint).toMatchObject({ autoStart: false, documentResolution: 4, bmlMajorVersion: 1 });
  expect(info?.carousel).toEqual(CAROUSEL);
  const xml = read('33 8F 00 03 00 00 00 01 00 00 0F 5F');
  expect(xml?.entryPoint).toMatchObject({ useXml: true, independent: false, bmlMajorVersion: 3 });
  expect(xml?.carousel).toEqual({
    ...{ dataEventId: 0, eventSection: true, onDemandRetrieval: false, fileStorable: true, startPriority: 0 },
  });
});

test('a further component, and one that is only stored', () => {
  expect(read('1F FF BF')).toEqual({ transmissionFormat: 0, entryPoint: null, carousel: CAROUSEL });
  expect(read('5F FF')).toEqual({ transmissionFormat: 1, entryPoint: null, carousel: null });
});

test('what is truncated or not BML is none', () => {
  for (let octets = 0; octets < 8; octets++)
    expect(read('33 3F 00 03 00 01 FF BF'.slice(0, octets * 3))).toBeUndefined();
  expect(read('3D', 0x0008)).toBeUndefined();
});
