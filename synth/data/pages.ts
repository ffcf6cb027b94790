/**
 * The data broadcast of a station with pages: which modules its components carry at a moment. A pure function of
 * station and time, so that every tuning and the ground truth agree.
 */
import { TICKS_PER_SECOND } from '../clock.ts';
import type { ChannelPlan, Opening, StationPlan } from '../scenario/model.ts';
import { QUIZ } from '../web/pages.ts';
import { clutFile } from './clut.ts';
import { MEDIA, type Resource, type ResourceModule, resourceModule, textResource } from './module-file.ts';
import { interactiveDocument, quizDocument } from './pages/interactive.ts';
import { newsDocument, newsTable } from './pages/news.ts';
import { openingDocument } from './pages/opening.ts';
import { type PageContext, pictureSize } from './pages/page.ts';
import { portalDocument } from './pages/portal.ts';
import { scoreDocument, scoreSections } from './pages/score.ts';
import { settingsDocument } from './pages/settings.ts';
import { soundsDocument } from './pages/sounds.ts';
import { weatherDocument, weatherTable } from './pages/weather.ts';
import { blockJpeg, symbolPng, turningSunMng } from './pictures.ts';
import { buzzAac, chimeAiff } from './sounds.ts';

/** Component tags of the pages; the first is the entry. */
type PageComponent = 0x40 | 0x60 | 0x61;

/** Seconds between editions of the news, multiples of the carousel's cycle. */
const NEWS_SECONDS = 20;
const DAY_SECONDS = 86_400;
const VERSIONS = 0x100;

/** Never changes while the station's name and manner stay. */
const VERSION = 1;

interface DataPages {
  /** Modules of a component, none of components without pages. @param ticks unwrapped 90 kHz clock of the stream */
  modules(componentTag: number, ticks: number): readonly ResourceModule[];
  /** Sections with stream descriptors. */
  events(componentTag: number, ticks: number): readonly Uint8Array[];
}

const picture = (name: string, bytes: Uint8Array): Resource => ({ name, type: MEDIA.png, bytes });

/** Made once per plane, for all stations. */
function perPlane<T>(make: (plane: PageContext['plane']) => T): (page: PageContext) => T {
  const made = new Map<PageContext['plane'], T>();
  return ({ plane }) => {
    const value = made.get(plane) ?? make(plane);
    made.set(plane, value);
    return value;
  };
}

const portalPictures = perPlane((plane): Resource[] => {
  const size = pictureSize(plane, 64);
  // As in real modules, some of the pictures have a palette.
  return (['sun', 'news', 'ball', 'gear', 'note', 'antenna'] as const).map((symbol, index) =>
    picture(`${symbol}.png`, symbolPng(symbol, size, index % 2 === 1)),
  );
});

/** The still picture behind the portal, on a plane of twice the size; drawn at half of it. */
const sky = perPlane((plane): Resource => {
  const [width, height] = plane === 'wide' ? [960, 540] : [720, 480];
  const bytes = blockJpeg(width, height, (x, y) => [40 + 60 * y, 150 - 10 * x, 112]);
  return { name: '', type: MEDIA.jpeg, bytes };
});

const weatherPictures = perPlane((plane): Resource[] => {
  const size = pictureSize(plane, 192);
  return [
    picture('cloud.png', symbolPng('cloud', size, true)),
    picture('rain.png', symbolPng('rain', size, false)),
    { name: 'fine.mng', type: MEDIA.mng, bytes: turningSunMng(size) },
  ];
});

function portalResources(page: PageContext): Resource[] {
  return [
    textResource('portal.bml', 'document', portalDocument(page)),
    { name: 'main.clt', type: MEDIA.clut, bytes: clutFile() },
    ...portalPictures(page),
  ];
}

function weatherResources(page: PageContext): Resource[] {
  return [textResource('weather.bml', 'document', weatherDocument(page)), ...weatherPictures(page)];
}

function soundResources(page: PageContext): Resource[] {
  return [
    textResource('sounds.bml', 'document', soundsDocument(page)),
    { name: 'chime.aif', type: MEDIA.aiff, bytes: chimeAiff(880, 660, 0.5) },
    { name: 'buzz.aac', type: MEDIA.aac, bytes: buzzAac(24) },
  ];
}

function interactiveResources(page: PageContext): Resource[] {
  return [
    textResource('interactive.bml', 'document', interactiveDocument(page)),
    textResource('quiz.bml', 'document', quizDocument(page, QUIZ)),
  ];
}

function constantModules(page: PageContext, opening: Opening): Record<PageComponent, ResourceModule[]> {
  const start = textResource('startup.bml', 'document', openingDocument(page, opening));
  return {
    64: [
      resourceModule(0, VERSION, 'mixed', [start]),
      resourceModule(1, VERSION, 'zlib', portalResources(page)),
      resourceModule(2, VERSION, 'bare', [sky(page)]),
      resourceModule(3, VERSION, 'zlib', weatherResources(page)),
      resourceModule(5, VERSION, 'zlib', [textResource('settings.bml', 'document', settingsDocument(page))]),
      resourceModule(6, VERSION, 'mixed', soundResources(page)),
      resourceModule(7, VERSION, 'zlib', interactiveResources(page)),
    ],
    96: [resourceModule(0, VERSION, 'zlib', [textResource('news.bml', 'document', newsDocument(page))])],
    97: [resourceModule(0, VERSION, 'zlib', [textResource('score.bml', 'document', scoreDocument(page))])],
  };
}

/** The last module of its kind, since consecutive turns of a carousel send the same. */
function remembered(make: (number: number) => ResourceModule): (number: number) => ResourceModule {
  let made: { number: number; module: ResourceModule } | undefined;
  return (number) => {
    if (made?.number !== number) made = { number, module: make(number) };
    return made.module;
  };
}

function dataPages(page: PageContext, opening: Opening): DataPages {
  const constant = constantModules(page, opening);
  const weather = remembered((day) => resourceModule(4, day % VERSIONS, 'mixed', [weatherTable(page, day)]));
  const news = remembered((edition) =>
    resourceModule(1, edition % VERSIONS, 'mixed', [newsTable(page, edition)]),
  );
  return {
    modules: (componentTag, ticks) => {
      const seconds = ticks / TICKS_PER_SECOND;
      switch (componentTag) {
        case 0x40:
          return [...constant[0x40], weather(Math.floor(seconds / DAY_SECONDS))];
        case 0x60:
          return [...constant[0x60], news(Math.floor(seconds / NEWS_SECONDS))];
        case 0x61:
          return constant[0x61];
        default:
          return [];
      }
    },
    events: (componentTag, ticks) => (componentTag === 0x61 ? scoreSections(ticks) : []),
  };
}

const known = new WeakMap<StationPlan, DataPages>();

/** The pages of a station; null if its data broadcast has none. */
export function stationPages(channel: ChannelPlan, plan: StationPlan): DataPages | null {
  const { opening, name, video } = plan;
  // That of its BIT.
  const affiliation = channel.remoteControlKey ?? 0;
  if (opening === undefined) return null;
  const made = known.get(plan);
  if (made !== undefined) return made;
  const plane = video.height >= 720 ? 'wide' : 'standard';
  const pages = dataPages(
    { type: channel.type, name, affiliation, plane, isHybrid: plan.data === 'hybridcast' },
    opening,
  );
  known.set(plan, pages);
  return pages;
}
