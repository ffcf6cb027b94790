/** Turns the measurements of a stream into chapters. Pure. */
import {
  type ChapterSegment,
  type DetectedChange,
  type DetectedChapters,
  wholeSegments,
} from '../model/chapters.ts';
import type { LogoModel } from '../model/learnt-logo.ts';
import { blacks, type Candidate, candidates } from './boundary-candidates.ts';
import { type CommercialBreak, decideCommercials } from './decide-commercials.ts';
import { mainEvidence } from './main-evidence.ts';
import { knownLogo, type LogoFound, learnLogo } from './station-logo.ts';
import type { StreamFeatures } from './stream-features.ts';

interface DetectionKnowledge {
  /** Logo of the station in this format; null: none is known yet. */
  readonly logo: LogoModel | null;
  /** Corrections by users; null: none. */
  readonly corrected: readonly ChapterSegment[] | null;
}

interface DetectionResult {
  readonly chapters: DetectedChapters;
  /** The station's logo as learnt from this recording; null: nothing certain. */
  readonly learnt: LogoModel | null;
}

/**
 * Bound on the boundaries that are stored for users' corrections: two a second for a whole day would be too many to
 * send.
 */
const MAX_CHANGES = 20_000;
/** Share of certain breaks from which on a recording's logo is kept: each edge of all of them is too much to ask for. */
const TEACHING_SHARE = 0.5;
/** A recording without detected commercials is certain to have none when its logo was visible for this share of it. */
const LOGO_SHOWN = 0.9;

export function detectCommercials(features: StreamFeatures, knowledge: DetectionKnowledge): DetectionResult {
  const { corners, durationMs } = features;
  const places = candidates(features);
  const logo = findLogo(features, places, knowledge);
  const known = logo === undefined ? undefined : { samples: corners, evidence: logo.evidence };
  const evidence = mainEvidence(features, known);
  const breaks = decideCommercials({
    candidates: places,
    blacks: blacks(features.pictures),
    evidence,
    durationMs,
  });
  const isSure =
    breaks.length > 0 ? breaks.every((one) => one.isSure) : logo !== undefined && shown(logo) >= LOGO_SHOWN;
  const confidence = breaks.reduce((least, one) => Math.min(least, one.confidence), isSure ? 0.95 : 0.5);
  const changes = places.map(
    ({ atMs, isCut }): DetectedChange => ({ atMs: Math.round(atMs), kind: isCut ? 'cut' : 'silence' }),
  );
  return {
    chapters: {
      segments: wholeSegments(breaks, Math.round(durationMs)),
      reliable: isSure,
      confidence,
      changes: changes.slice(0, MAX_CHANGES),
      durationMs: Math.round(durationMs),
    },
    learnt: teaches(logo, breaks, knowledge) ? (logo?.model ?? null) : null,
  };
}

function findLogo(
  { corners }: StreamFeatures,
  places: readonly Candidate[],
  { logo, corrected }: DetectionKnowledge,
): LogoFound | undefined {
  if (corrected?.some(({ kind }) => kind === 'cm') === true) {
    const isMain = (timeMs: number): boolean =>
      corrected.some(({ startMs, endMs, kind }) => kind === 'main' && startMs <= timeMs && timeMs < endMs);
    const taught = learnLogo(corners, places, isMain);
    if (taught !== undefined) return taught;
  }
  const known = logo === null ? undefined : knownLogo(logo, corners);
  return known ?? learnLogo(corners, places);
}

function shown({ evidence }: LogoFound): number {
  return evidence.reduce((sum, one) => sum + (one > 0 ? 1 : 0), 0) / Math.max(1, evidence.length);
}

/** A logo is stored for the station's next recordings when it divided this one well, or a user corrected this one. */
function teaches(
  logo: LogoFound | undefined,
  breaks: readonly CommercialBreak[],
  { corrected }: DetectionKnowledge,
): boolean {
  if (logo === undefined || logo.isAlwaysOn) return false;
  const sure = breaks.filter((one) => one.isSure).length;
  return corrected !== null || (sure > 0 && sure >= TEACHING_SHARE * breaks.length);
}
