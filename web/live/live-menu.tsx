/** The menu of the live screen: what its row of controls has no room for. */
import type { Station } from '../../lib/wire/api.ts';
import { navigate } from '../navigation/router.ts';
import { canPictureInPicture } from '../player/player.ts';
import { chosenAudio, codecChoice, Entry } from '../player/sheets.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { BACK_S } from './live-keys.ts';
import type { LivePlayer } from './live-player.ts';
import { TEXTS } from './texts.ts';

export type SheetName = 'menu' | 'audio' | 'quality' | 'captions' | 'channels' | 'facts' | 'help' | 'info';

export interface MenuActions {
  readonly skip: (by: number) => void;
  readonly screenshot: () => void;
  readonly pictureInPicture: () => void;
  /** @param byKey the focus goes along */
  readonly panel: (byKey: boolean) => void;
}

interface MenuProps {
  readonly player: LivePlayer;
  readonly station: Station | undefined;
  readonly actions: MenuActions;
  /** Undefined: the station has no data broadcast. */
  readonly onData: (() => void) | undefined;
  readonly onOpen: (name: SheetName) => void;
  readonly onClose: () => void;
}

export function LiveMenu({ player, station, actions, onData, onOpen, onClose }: MenuProps) {
  const audios = station?.now?.audios ?? [];
  const codec = player.tuned.value?.codec;
  /** Once the sheet has given the focus back. */
  const then = (act: () => void) => (): void => {
    onClose();
    act();
  };
  return (
    <Sheet title={TEXTS.menu} onClose={onClose}>
      <div class="rows">
        {onData === undefined ? null : (
          <Entry icon="data" text={TEXTS.dataBroadcast} onClick={then(onData)} />
        )}
        <Entry icon="list" text={TEXTS.channelList} leads onClick={() => onOpen('channels')} />
        <Entry icon="info" text={TEXTS.programInfo} onClick={then(() => actions.panel(true))} />
        {audios.length > 1 ? (
          <Entry
            icon="speech"
            text={TEXTS.sound}
            value={chosenAudio({ audios, player })?.label ?? ''}
            leads
            onClick={() => onOpen('audio')}
          />
        ) : null}
        <Entry
          icon="quality"
          text={TEXTS.format}
          value={codec === undefined ? '' : codec === 'raw' ? TEXTS.rawShort : codecChoice(codec).label}
          leads
          onClick={() => onOpen('quality')}
        />
        <Entry icon="rewind" text={TEXTS.skipBack(BACK_S)} onClick={then(() => actions.skip(-BACK_S))} />
        <Entry icon="camera" text={TEXTS.screenshot} onClick={then(actions.screenshot)} />
        {canPictureInPicture() ? (
          <Entry icon="window" text={TEXTS.smallWindow} onClick={then(actions.pictureInPicture)} />
        ) : null}
        {station === undefined ? null : (
          <Entry
            icon="tiles"
            text={TEXTS.multi}
            onClick={then(() => navigate(`multi?stations=${station.id}`))}
          />
        )}
        <Entry icon="speed" text={TEXTS.stream} leads onClick={() => onOpen('facts')} />
        <Entry icon="help" text={TEXTS.help} leads onClick={() => onOpen('help')} />
      </div>
    </Sheet>
  );
}
