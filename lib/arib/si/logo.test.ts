/** CDT, logos and their pictures. Not compared with the peer reader, which has three wrong fixed colours. */
import { expect, test } from 'bun:test';
import { crc32, deflateSync } from 'node:zlib';
import { LOGO_SIZES } from '../../../test/logo-sizes.ts';
import { longSection } from '../../../test/stream-builder.ts';
import { readSection } from '../ts/section.ts';
import { FIXED_COLOURS } from './fixed-colours.ts';
import { completeLogo, isDummyLogo, logoSize, parseCdt, parseLogo, parseLogoModule } from './logo.ts';

function octets(hex: string): Uint8Array {
  return Uint8Array.fromHex(hex.replace(/\/\/.*/g, '').replace(/\s/g, ''));
}

function u32(value: number): number[] {
  return [value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff];
}

function chunk(type: string, data: Iterable<number>): number[] {
  const checked = [...new TextEncoder().encode(type), ...data];
  return [...u32(checked.length - 4), ...checked, ...u32(crc32(Uint8Array.from(checked)))];
}

/** A picture of colour type 3, eight bits, with pixels 0, 1, 2 … */
function png(width: number, height: number, palette: readonly number[] = [], colourType = 3): Uint8Array {
  const rows = Array.from({ length: height }, (_, y) => [
    0,
    ...Array.from({ length: width }, (_, x) => (y * width + x) % 128),
  ]);
  return Uint8Array.from([
    ...[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
    ...chunk('IHDR', [...u32(width), ...u32(height), 8, colourType, 0, 0, 0]),
    ...palette,
    ...chunk('IDAT', deflateSync(Uint8Array.from(rows.flat()))),
    ...chunk('IEND', []),
  ]);
}

test('CDT: a logo with its id, version and type', () => {
  const picture = png(64, 36);
  const logo = [...octets('05 FE 12 F3 45'), picture.length >> 8, picture.length & 0xff, ...picture];
  const body = [...octets('7E D0 01 F0 00'), ...logo];
  const section = readSection(
    longSection({ tableId: 0xc8, extension: 7, version: 2, number: 5, lastNumber: 5, body }),
  );
  const cdt = section === undefined ? undefined : parseCdt(section);
  if (cdt === undefined) throw new Error('no CDT');
  const { data, ...rest } = cdt;
  expect(rest as unknown).toEqual({
    downloadDataId: 7,
    originalNetworkId: 0x7ed0,
    version: 2,
    sectionNumber: 5,
    lastSectionNumber: 5,
    dataType: 1,
    descriptors: [],
  });
  expect(parseLogo(data)).toEqual({ type: 5, logoId: 0x12, logoVersion: 0x345, picture });
  for (let length = 0; length < data.length; length++) {
    expect(parseLogo(data.subarray(0, length))).toBeUndefined();
  }
  expect(isDummyLogo(picture)).toBe(false);
  expect(isDummyLogo(picture.subarray(0, 93))).toBe(true);
});

test('a module of the common carousel: logos of several services; empty ones are left out', () => {
  const module = octets(`
    02 00 03       // logo_type, number_of_loop
    FE 01          // reserved 7, logo_id
    02 00 04 40 10 00 65 00 04 40 10 00 66
    00 02 AA BB    // picture
    FE 02 00 00 01 CC // no service
    FE 03 01 00 04 40 10 00 67 00 00 // no picture
  `);
  expect(parseLogoModule(module) as unknown).toEqual({
    type: 2,
    logos: [
      {
        logoId: 1,
        services: [
          { originalNetworkId: 4, transportStreamId: 0x4010, serviceId: 101 },
          { originalNetworkId: 4, transportStreamId: 0x4010, serviceId: 102 },
        ],
        picture: octets('AA BB'),
      },
    ],
  });
  for (let length = 0; length < module.length; length++) {
    expect(parseLogoModule(module.subarray(0, length))).toBeUndefined();
  }
});

test('the fixed palette has 128 colours, at the indices of the standard', () => {
  expect(FIXED_COLOURS.length).toBe(128);
  const hex = (index: number) => {
    const { red, green, blue, alpha } = FIXED_COLOURS[index] ?? { red: 1, green: 1, blue: 1, alpha: 1 };
    return Uint8Array.of(red, green, blue, alpha).toHex();
  };
  expect([0, 1, 4, 7, 8, 9, 15, 16, 21, 54, 63, 64].map(hex)).toEqual([
    ...['000000ff', 'ff0000ff', '0000ffff', 'ffffffff', '00000000', 'aa0000ff', 'aaaaaaff', '000055ff'],
    ...['00aa55ff', 'ff00aaff', 'ffff55ff', 'ffffaaff'],
  ]);
  expect([65, 72, 73, 80, 101, 118, 119, 127].map(hex)).toEqual([
    ...['00000080', 'ffffff80', 'aa000080', '00005580', '55ff0080', 'ff00aa80', 'ff550080', 'ffff5580'],
  ]);
});

test('a PNG without a palette gets the fixed colours', () => {
  for (const [width, height] of LOGO_SIZES) {
    const picture = png(width, height);
    const whole = completeLogo(picture);
    if (whole === undefined) throw new Error('no picture');
    const palette = [
      ...chunk(
        'PLTE',
        FIXED_COLOURS.flatMap(({ red, green, blue }) => [red, green, blue]),
      ),
      ...chunk(
        'tRNS',
        FIXED_COLOURS.map(({ alpha }) => alpha),
      ),
    ];
    expect(whole).toEqual(png(width, height, palette));
    expect(logoSize(whole)).toEqual([width, height]);
  }
});

test('a PNG with a palette, or that needs none, is unchanged; anything else is rejected', () => {
  const coloured = png(48, 24, chunk('PLTE', [0, 0, 0]));
  expect(completeLogo(coloured)).toBe(coloured);
  const grey = png(48, 24, [], 0);
  expect(completeLogo(grey)).toBe(grey);
  const picture = png(48, 24);
  for (let length = 0; length < picture.length; length++) {
    expect(completeLogo(picture.subarray(0, length))).toBeUndefined();
  }
  expect(completeLogo(Uint8Array.from([...picture, 0]))).toBeUndefined();
  expect(logoSize(octets('00'))).toBeUndefined();
});
