//! Which order a system has: code is compiled for each, and chosen by the bytes of a slot.

/// Evaluates an expression with a name for the order of these bytes a slot.
macro_rules! by_order {
    ($slot_bytes:expr, $order:ident => $answer:expr) => {
        match $slot_bytes {
            1 => {
                type $order = $crate::order::BySlot<1>;
                $answer
            }
            2 => {
                type $order = $crate::order::BySlot<2>;
                $answer
            }
            3 => {
                type $order = $crate::order::BySlot<3>;
                $answer
            }
            4 => {
                type $order = $crate::order::BySlot<4>;
                $answer
            }
            _ => {
                type $order = $crate::order::ByColumn;
                $answer
            }
        }
    };
}
pub(crate) use by_order;
