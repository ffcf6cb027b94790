/**
 * The control functions of the 8-unit code by name, with their numbers of parameters. ARIB STD-B24 Vol. 1 Part 2,
 * 7.1, tables 7-14 to 7-17.
 */

/** C0 and C1 control codes, with SP and DEL. */
export const CONTROL = {
  NUL: 0x00,
  BEL: 0x07,
  APB: 0x08,
  APF: 0x09,
  APD: 0x0a,
  APU: 0x0b,
  CS: 0x0c,
  APR: 0x0d,
  LS1: 0x0e,
  LS0: 0x0f,
  PAPF: 0x16,
  CAN: 0x18,
  SS2: 0x19,
  ESC: 0x1b,
  APS: 0x1c,
  SS3: 0x1d,
  RS: 0x1e,
  US: 0x1f,
  SP: 0x20,
  DEL: 0x7f,
  BKF: 0x80,
  RDF: 0x81,
  GRF: 0x82,
  YLF: 0x83,
  BLF: 0x84,
  MGF: 0x85,
  CNF: 0x86,
  WHF: 0x87,
  SSZ: 0x88,
  MSZ: 0x89,
  NSZ: 0x8a,
  SZX: 0x8b,
  COL: 0x90,
  FLC: 0x91,
  CDC: 0x92,
  POL: 0x93,
  WMM: 0x94,
  MACRO: 0x95,
  HLC: 0x97,
  RPC: 0x98,
  SPL: 0x99,
  STL: 0x9a,
  CSI: 0x9b,
  TIME: 0x9d,
} as const;

/** Final bytes of the CSI control functions. */
export const CSI = {
  GSM: 0x42,
  SWF: 0x53,
  CCC: 0x54,
  SDF: 0x56,
  SSM: 0x57,
  SHS: 0x58,
  SVS: 0x59,
  PLD: 0x5b,
  PLU: 0x5c,
  GAA: 0x5d,
  SRC: 0x5e,
  SDP: 0x5f,
  ACPS: 0x61,
  TCC: 0x62,
  ORN: 0x63,
  MDF: 0x64,
  CFS: 0x65,
  XCS: 0x66,
  SCR: 0x67,
  PRA: 0x68,
  ACS: 0x69,
  UED: 0x6a,
  RCS: 0x6e,
  SCS: 0x6f,
} as const;

/** A first parameter of 0x20 means that a second one follows (COL: choice of a palette; CDC: replacing conceal). */
const ONE_OR_TWO = -1;

/** Numbers of parameters of control codes, except ESC, MACRO, CSI and TIME, which have their own syntax. */
const PARAMETERS: readonly (readonly [code: number, count: number])[] = [
  [CONTROL.PAPF, 1],
  [CONTROL.APS, 2],
  [CONTROL.SZX, 1],
  [CONTROL.COL, ONE_OR_TWO],
  [CONTROL.FLC, 1],
  [CONTROL.CDC, ONE_OR_TWO],
  [CONTROL.POL, 1],
  [CONTROL.WMM, 1],
  [CONTROL.HLC, 1],
  [CONTROL.RPC, 1],
];

const PARAMETERS_BY_CODE = new Int8Array(256);
for (const [code, count] of PARAMETERS) PARAMETERS_BY_CODE[code] = count;

/** Number of parameters of a control code, given the octet that follows it. */
export function parameterCount(code: number, next: number): number {
  const count = PARAMETERS_BY_CODE[code] ?? 0;
  if (count !== ONE_OR_TWO) return count;
  return next === 0x20 ? 2 : 1;
}
